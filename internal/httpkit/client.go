package httpkit

import (
	"net/http"
	"net/netip"
	"net/url"
)

// OnThisMachine reports whether an address belongs to the loopback interface.
func OnThisMachine(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// NoRedirect is a CheckRedirect for clients that follow no redirect: Do returns the redirect itself.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
