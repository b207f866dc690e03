package aaifhttp

import (
	"net"
	"net/http"
	"net/netip"
)

// requireTLS refuses an unencrypted request for or with a state (AAIF-8.3-5, AAIF-12-11).
// It reads nothing of the body.
func (h *Handler) requireTLS(r *http.Request) error {
	if r.TLS != nil || h.options.Local && loopback(r.RemoteAddr) {
		return nil
	}
	return &answer{status: http.StatusUpgradeRequired, code: TLSRequired,
		detail: "states are taken and given over TLS only; ask again over https, and let the state have another token",
		header: http.Header{"Connection": {"close", "Upgrade"}, "Upgrade": {"TLS/1.2, HTTP/1.1"}}}
}

// loopback reports whether an address belongs to this machine. An address of another kind
// is a socket file on it.
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
