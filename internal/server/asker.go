package server

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

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

// fresh is how long the answer to who asks is taken for granted. Within it a
// request asks once; a stream that asks again later learns that its token was
// revoked or has expired.
const fresh = time.Second

// asker is who makes a request.
type asker struct {
	address string // whom strangers from there pay with
	means   means
	find    func(context.Context) (memory.Caller, error)

	mu     sync.Mutex
	at     time.Time // when caller and err were right
	caller memory.Caller
	err    error
}

// who returns who asks, or the refusal of kind Unauthorized.
func (a *asker) who(ctx context.Context) (memory.Caller, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.at.IsZero() || now.Sub(a.at) > fresh {
		a.caller, a.err = a.find(ctx)
		a.at = now
	}
	return a.caller, a.err
}

// failed reports whether the caller showed credentials that were refused, rather
// than none, and rather than the store having failed.
func (a *asker) failed(ctx context.Context) bool {
	_, err := a.who(ctx)
	return a.means != nothing && memory.KindOf(err) == memory.Unauthorized
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

// addressOf returns the address a request comes from, as one who pays: a network
// of IPv6 is one payer, because one machine has all of it.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
