package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"

	"github.com/satchel-memory/satchel/memory"
)

// means is what a caller showed.
type means int

const (
	nothing     means = iota
	somethingNo       // credentials that open nothing
	capability        // a capability token
	ownersToken
)

// asker is who makes a request, as its credentials said when it arrived.
type asker struct {
	address string // whom strangers from there pay with
	means   means
	caller  memory.Caller
	err     error // of kind Unauthorized when the credentials open nothing

	find func(context.Context) (memory.Caller, error)
	told atomic.Bool // a binding was told what was found on arrival
}

// ask returns who asks. To whoever asks again it tells what is true by then, so
// that a stream learns that its token has expired or was revoked.
func (a *asker) ask(ctx context.Context) (memory.Caller, error) {
	if a.told.CompareAndSwap(false, true) {
		return a.caller, a.err
	}
	return a.find(ctx)
}

// failed reports whether the caller showed credentials that were refused, rather
// than none, and rather than the store having failed.
func (a *asker) failed() bool {
	return a.means != nothing && memory.KindOf(a.err) == memory.Unauthorized
}

// tokenID returns the id of the capability token of a caller, "" for other
// callers.
func tokenID(c memory.Caller) string {
	if c.Grant != nil {
		return c.Grant.ID
	}
	id, _ := strings.CutPrefix(c.Session, "token:")
	if id == c.Session {
		return ""
	}
	return id
}

// roleOf names a role for the log.
func roleOf(r memory.Role) string {
	switch r {
	case memory.Owner:
		return "owner"
	case memory.Agent:
		return "agent"
	case memory.Peer:
		return "peer"
	}
	return "stranger"
}

// elsewhere reports whether what [networkOf] returns is of other machines. What is
// no address is a file of this one.
func elsewhere(address string) bool {
	_, network := netip.ParsePrefix(address)
	ip, single := netip.ParseAddr(address)
	return network == nil || single == nil && !ip.IsLoopback()
}

// addressOf returns the address a request comes from, as one who pays: a network
// of IPv6 is one payer, because one machine has all of it.
func addressOf(r *http.Request) string { return networkOf(r.RemoteAddr) }

// networkOf returns what counts as one address of an address with a port.
func networkOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() && !ip.IsLoopback() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
