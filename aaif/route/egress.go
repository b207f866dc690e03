package route

import (
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/internet"
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
	return internet.IsPublicHost(host)
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
