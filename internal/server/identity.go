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

// credential is the kind of credential that a request carries.
type credential int

const (
	noCredential      credential = iota
	invalidCredential            // the credential is not valid
	capabilityToken              // a capability token
	ownerToken
)

// identity is who makes a request, according to the credentials it arrived with.
type identity struct {
	address    string // anonymous requests share the rate of their address
	proxied    bool   // a proxy of this machine says that it is the address
	credential credential
	caller     memory.Caller
	err        error // of kind Unauthorized if the credentials are invalid

	find     func(context.Context) (memory.Caller, error)
	reported atomic.Bool // a binding got the result of the first check
}

// resolve returns who makes the request. Every later call checks the token anew, so that a
// stream learns that its token has expired or was revoked.
func (a *identity) resolve(ctx context.Context) (memory.Caller, error) {
	if a.reported.CompareAndSwap(false, true) {
		return a.caller, a.err
	}
	return a.find(ctx)
}

// failed reports whether the request carried credentials that were refused. It is false for
// a request without credentials and if the store failed.
func (a *identity) failed() bool {
	return a.credential != noCredential && memory.KindOf(a.err) == memory.Unauthorized
}

// tokenID returns the id of a caller's capability token, "" for other callers.
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

// isRemote reports whether a result of [networkOf] belongs to another machine. A text that
// is no address is a socket file of this machine.
func isRemote(address string) bool {
	_, network := netip.ParsePrefix(address)
	ip, single := netip.ParseAddr(address)
	return network == nil || single == nil && !ip.IsLoopback()
}

// addressOf returns the address of a request as a rate key. If only this machine reaches the
// server, and its declared proxy passed the request on, that is the last one that the proxy
// wrote into X-Forwarded-For, and proxied is set. Some proxies pass on what strangers wrote
// there: what is proxied also shares an allowance.
func (o Options) addressOf(r *http.Request) (address string, proxied bool) {
	if said := r.Header.Values("X-Forwarded-For"); len(said) > 0 && o.Pages.alone {
		last := said[len(said)-1]
		last = networkOf(strings.TrimSpace(last[strings.LastIndex(last, ",")+1:]))
		if _, encrypted, _ := o.places().Reached(r); encrypted && isRemote(last) {
			return last, true
		}
	}
	return networkOf(r.RemoteAddr), false
}

// networkOf returns the part of an address that counts as one client: a whole network of IPv6
// does, because one machine has all of it.
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
