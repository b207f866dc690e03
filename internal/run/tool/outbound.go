package tool

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
)

// Outbound sends requests of other packages to hosts that definitions name, by the rules for
// tools: which hosts may be contacted, and how (AAIF-12-1).
type Outbound struct{ guard guard }

// NewOutbound returns an Outbound by the operator's table. roots are the authorities of
// servers; nil: those of the system.
func NewOutbound(o Operator, roots *x509.CertPool) Outbound {
	return Outbound{guard{hosts: o.Egress, lookup: func(ctx context.Context, network, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, network, host)
	}, roots: roots}}
}

// Do sends a request once. The caller closes the body of the answer. Failures are [*Error]:
// the outcome is NotSent until there is a connection for the request, and Unknown from then on.
func (o Outbound) Do(r *http.Request) (*http.Response, error) {
	if denied := o.guard.check(r.URL); denied != nil {
		return nil, denied
	}
	var sent atomic.Bool
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}))
	r.GetBody = nil // nothing can be sent again
	got, err := o.guard.client(nil).Do(r)
	if err != nil {
		return nil, broken(r.Context(), err, sent.Load())
	}
	return got, nil
}
