package route

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Destination is where requests to a candidate go.
type Destination struct {
	Address string // empty: the provider's usual one
	Own     bool   // the operator's address, not the definition's: only this one gets the provider's key
	Listed  bool   // the operator's list names the host, which may then be in a closed network
}

// Destination returns where requests to a candidate go, and whether they may
// (AAIF-4.2-19, AAIF-4.2-20).
func (o Operator) Destination(c Candidate) (Destination, bool) {
	p, known, denied := o.endpoint(c)
	switch {
	case denied:
		return Destination{}, false
	case c.BaseURL == "", known && p.BaseURL != "":
		return Destination{Address: p.BaseURL, Own: true}, true
	}
	return Destination{Address: c.BaseURL, Listed: o.Egress != nil}, true
}

// endpoint returns the endpoint of a candidate: the operator's provider, or an address
// that the definition names. Nothing is known of an address that is not the operator's,
// whatever provider it names (AAIF-4.2-19). denied says that it must not be contacted at
// all (AAIF-4.2-20).
func (o Operator) endpoint(c Candidate) (p Provider, known, denied bool) {
	p, known = o.provider(c.Provider)
	switch {
	case c.BaseURL == "":
		return p, known, false
	case known && p.BaseURL != "" && address(p.BaseURL) == address(c.BaseURL):
		return p, true, false
	}
	return Provider{Name: c.Provider}, true, !o.allowsHost(c.BaseURL)
}

// allowsHost reports whether an address from a definition may be contacted: its host is
// on the operator's list or, without a list, is public.
func (o Operator) allowsHost(base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if o.Egress != nil {
		return slices.Contains(o.Egress, host)
	}
	return IsPublicHost(host)
}

// IsPublic reports whether an address belongs to the Internet.
func IsPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.Zone() == "" && ip.IsGlobalUnicast() && !ip.IsPrivate() &&
		!slices.ContainsFunc(reservedNetworks(), func(n netip.Prefix) bool { return n.Contains(ip) })
}

// IsPublicHost reports whether a host in lower case may be public: an address of the
// Internet, or a name that does not belong to a private network by its form. What a name
// leads to has to be checked with [IsPublic] when it is contacted.
func IsPublicHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return IsPublic(ip)
	}
	if strings.ContainsFunc(host, changesInTransit) {
		return false
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	if len(labels) < 2 || last == "" || last[0] >= '0' && last[0] <= '9' { // 2852039166, 0x7f.1: disguised addresses
		return false
	}
	return !slices.Contains([]string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "svc"}, last)
}

// changesInTransit reports whether a character of a host's name becomes another one in a
// request. Such a name cannot be checked here; it must be written in ASCII, as it is
// sent.
func changesInTransit(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-._", r))
}

// reservedNetworks are networks that are not public, besides those that [netip] knows: of
// a carrier's customers, for tests, for future use, and those that embed an address of
// version 4.
func reservedNetworks() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16", "fec0::/10"} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// address returns an HTTP address in the form for comparison and display, without user,
// query and secrets; "" if it is none.
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
