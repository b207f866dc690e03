package tool

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/text/internet"
)

// guard keeps addresses that definitions name away from hosts that the operator does not
// let them contact (AAIF-12-1).
type guard struct {
	hosts  []string // nil: any public one
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	roots  *x509.CertPool
}

// The limits of connections.
const (
	dialTime    = 15 * time.Second
	mostHops    = 5
	mostHeaders = 64 << 10
)

func (g guard) lists(host string) bool { return slices.Contains(g.hosts, host) }

// check refuses an address before anything is looked up.
func (g guard) check(u *url.URL) *Error {
	host := internet.PlainHost(u.Hostname())
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return fail(egressDenied, "addresses begin with https://, not with %s", aaif.Shown(u.Scheme+":"))
	case u.User != nil:
		return fail(egressDenied, "an address holds no credentials")
	case host == "":
		return fail(egressDenied, "the address names no host")
	case g.lists(host):
		return nil
	case g.hosts != nil:
		return fail(egressDenied, "%s is none of the hosts that the operator lists: egress in %s", aaif.Shown(host), toolsTable)
	case u.Scheme != "https":
		return fail(egressDenied, "%s is to be contacted without encryption; the operator lists no such host", aaif.Shown(host))
	case !internet.IsPublicHost(host):
		return fail(egressDenied, "%s belongs to this machine or its network", aaif.Shown(host))
	}
	return nil
}

// dial connects to a host. It resolves the name once and connects to the checked
// addresses only, so that a name cannot be resolved to another address afterwards.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := g.resolve(ctx, internet.PlainHost(host))
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, ip := range addresses {
		conn, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, network, net.JoinHostPort(ip.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

// resolve returns the addresses of a host. It refuses the host if one of them is not
// public, unless the operator lists the host. A listed name never leads to a link-local
// address, where clouds serve credentials.
func (g guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if !g.lists(host) && !internet.IsPublic(ip) {
			return nil, fail(egressDenied, "%s is no public address", host)
		}
		return []netip.Addr{ip}, nil
	}
	found, err := g.lookup(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, ip := range found {
		if ip.Unmap().IsLinkLocalUnicast() || !g.lists(host) && !internet.IsPublic(ip) {
			return nil, fail(egressDenied, "%s leads to an address that is not public", aaif.Shown(host))
		}
	}
	if len(found) == 0 {
		return nil, fail(Unreachable, "%s has no address", aaif.Shown(host))
	}
	return found, nil
}

// client returns a client for one kind of request. Every request gets a connection of its
// own: the transport repeats requests on connections that it used before, even writes, if
// they carry an idempotency key. It uses no proxy, and no HTTP/2, which repeats requests by
// rules of its own.
func (g guard) client(certificate *tls.Certificate) *http.Client {
	config := &tls.Config{RootCAs: g.roots, MinVersion: tls.VersionTLS12}
	if certificate != nil {
		config.Certificates = []tls.Certificate{*certificate}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			DialContext: g.dial, TLSClientConfig: config, TLSHandshakeTimeout: dialTime, Protocols: protocols,
			DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: mostHeaders,
		},
		CheckRedirect: g.redirect,
	}
}

// redirect follows redirects of reading requests within their origin, and no others.
func (g guard) redirect(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case !isReading(first.Method):
		return http.ErrUseLastResponse
	case r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host:
		denied := fail(egressDenied, "the tool sends the request on to another origin, %s", aaif.Shown(r.URL.Host))
		denied.Outcome = Answered
		return denied
	case len(via) > mostHops:
		denied := fail(Unreachable, "the tool sends the request on and on")
		denied.Outcome = Answered
		return denied
	}
	return nil
}

// isReading reports whether a method changes nothing (AAIF-4.9-13).
func isReading(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
