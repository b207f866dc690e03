package modelhttp

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// ErrClosed is the error of a connection to an address that the guard refuses.
var ErrClosed = errors.New("the address is not public")

// Guarded returns a transport that connects to permitted addresses only, and through no
// proxy. It asks permit for every address that is about to be dialled, after names were
// resolved, so that a name cannot lead elsewhere between a check and its use.
func Guarded(permit func(netip.Addr) bool) *http.Transport {
	dialer := net.Dialer{Timeout: 30 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !permit(to.Addr()) {
			return ErrClosed
		}
		return nil
	}}
	return &http.Transport{
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        16,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}
}
