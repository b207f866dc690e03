package httpkit

import (
	"net/netip"
	"net/url"
)

// OnThisMachine reports whether an address belongs to the loopback interface.
func OnThisMachine(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
