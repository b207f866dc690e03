package route

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// endpoint returns where a candidate would be asked: the provider of the operator's that
// it is, unless a definition leads to an address that is none of the operator's. Of such
// an address nothing is known, whoever it says to be (AAIF-4.2-19). denied: nothing may
// go there at all (AAIF-4.2-20).
func (o Operator) endpoint(c Candidate) (p Provider, known, denied bool) {
	p, known = o.provider(c.Provider)
	switch {
	case c.BaseURL == "":
		return p, known, false
	case known && p.BaseURL != "" && address(p.BaseURL) == address(c.BaseURL):
		return p, true, false
	}
	return Provider{Name: c.Provider}, true, !o.lets(c.BaseURL)
}

// lets reports whether an address that a definition names may be asked: one of the hosts
// that the operator lists, or where there is no list, one that can be anybody's.
func (o Operator) lets(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if o.Egress != nil {
		return slices.Contains(o.Egress, host)
	}
	return open(host)
}

// open reports whether a host can be anybody's: an address of the Internet, or a name
// that does not say itself that it is of one network.
func open(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.Zone() == "" && ip.IsGlobalUnicast() && !ip.IsPrivate() &&
			!slices.ContainsFunc(closed(), func(n netip.Prefix) bool { return n.Contains(ip) })
	}
	if strings.ContainsFunc(host, translated) {
		return false
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if len(labels) < 2 || last == "" || last[0] >= '0' && last[0] <= '9' { // 2852039166, 0x7f.1: an address in disguise
		return false
	}
	return !slices.Contains([]string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "svc"}, last)
}

// translated reports whether a character of a host's name is another one by the time it is
// asked for, which is nothing to be judged by what stands here: such a name has to be
// written as it goes over the wire, in ASCII.
func translated(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r))
}

// closed are networks that are not for everybody, besides those that [netip] knows:
// shared by customers of a carrier, for tests, to come, and those that stand for an
// address of version 4.
func closed() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16", "fec0::/10"} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// address returns an address of HTTP as it is compared and shown: without what names a
// person or a secret. It returns "" for what is none.
func address(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return ""
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" && !(u.Scheme == "https" && port == "443") && !(u.Scheme == "http" && port == "80") {
		host += ":" + port
	}
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}
