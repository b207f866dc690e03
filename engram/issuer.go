package engram

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// KeysPath is where an issuer lists its keys. DiscoveryPath is where it describes its store
// (section 3.9).
const (
	KeysPath      = "/.well-known/engram-keys"
	DiscoveryPath = "/.well-known/engram"
)

// KeysURL returns the address of an issuer's keys (ENGRAM-3.8-10). The issuer's address
// must be https, or this machine's (ENGRAM-3.8-26).
func KeysURL(issuer string) (string, error) {
	base, ok := baseURL(issuer)
	if !ok {
		return "", errors.New("the address of an issuer is https, or this machine's")
	}
	return base + KeysPath, nil
}

// SameIssuer reports whether two addresses name one issuer. They may differ in the host's
// case, the usual port, and a slash at the end. Both must be https or this machine's.
func SameIssuer(a, b string) bool {
	x, ok := baseURL(a)
	y, also := baseURL(b)
	return ok && also && x == y
}

// baseURL returns an issuer's address in one spelling, without a slash at its end.
func baseURL(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		if !isLoopback(u.Hostname()) {
			return "", false
		}
		host = strings.TrimSuffix(host, ":80")
	default:
		return "", false
	}
	return scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), true
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
