package aaifhttp

import (
	"net"
	"net/http"
	"net/netip"
)

// encrypted refuses a request for a state, or with one, that comes in the clear
// (AAIF-8.3-5, AAIF-12-11). Nothing of its body is read.
func (h *Handler) encrypted(r *http.Request) error {
	if r.TLS != nil || h.options.Local && loopback(r.RemoteAddr) {
		return nil
	}
	return &answer{status: http.StatusUpgradeRequired, code: TLSRequired,
		detail: "states are taken and given over TLS only; ask again over https, and let the state have another token",
		header: http.Header{"Connection": {"close", "Upgrade"}, "Upgrade": {"TLS/1.2, HTTP/1.1"}}}
}

// loopback reports whether an address is of this machine. One that is none is a file of
// it.
func loopback(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	_, err = netip.ParseAddr(host)
	return err != nil || isLoopbackIP(host)
}

func isLoopbackIP(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
