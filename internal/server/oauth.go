package server

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/delegation"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// OAuth says how remote assistants get access.
type OAuth struct {
	On bool // the owner gives it on a page
	// Outside is another issuer that gives it instead; nil: none. Its Fetch and Now are set
	// by the server.
	Outside *oauth.Outside
	// Roots are the authorities whose certificates the servers of clients' documents may
	// have; nil: the system's. Private lets such servers have addresses of this machine and of
	// private networks.
	Roots   *x509.CertPool
	Private bool
}

// newOAuth returns what lets remote assistants ask for access, or nil.
func newOAuth(o Options) (*oauth.Handler, error) {
	if !o.OAuth.On && o.OAuth.Outside == nil {
		return nil, nil
	}
	b, ok := o.Backend.(vaultBackend)
	if !ok || o.OAuth.Outside == nil && o.Pages.Name == "" {
		return nil, errors.New("server: remote assistants need the owner's pages, on which the owner lets them in")
	}
	reached := o.pagesOptions()
	if o.OAuth.Outside != nil { // the owner named the address, which may be anywhere
		o.OAuth.Outside.Fetch, o.OAuth.Outside.Now = outsideTransport(o.OAuth.Roots, true), time.Now
	}
	return oauth.New(oauth.Options{
		Grants: grants{b.delegations}, Secret: []byte(o.Token), Consent: pages.Root + "consent",
		Origin: func(r *http.Request) string { origin, _, _ := reached.Reached(r); return origin },
		Cookie: func(r *http.Request) (string, bool) {
			if _, encrypted, _ := reached.Reached(r); encrypted {
				return pages.TLSCookie + pages.ConsentSuffix, true
			}
			return reached.Cookie + pages.ConsentSuffix, false
		},
		Fetch: outsideTransport(o.OAuth.Roots, o.OAuth.Private), Now: time.Now, NewID: rand.Text,
		Report: o.report, Refused: o.reportRefusal, Outside: o.OAuth.Outside,
	}), nil
}

// outsideTransport contacts servers that strangers name: public ones, unless private is set. It
// uses no proxy, which would look names up elsewhere.
func outsideTransport(roots *x509.CertPool, private bool) *http.Transport {
	dialer := &net.Dialer{Timeout: deliveryTimeout / 2}
	if !private {
		dialer.Control = requirePublic // after the lookup of the name, so that the real address counts
	}
	return &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout: deliveryTimeout / 2, MaxResponseHeaderBytes: 16 << 10, DisableKeepAlives: true, ForceAttemptHTTP2: true,
	}
}

// mountOAuth adds the paths by which remote assistants ask for access.
func (s *server) mountOAuth(mux *http.ServeMux) {
	if s.options.oauth == nil {
		return
	}
	reached := s.options.places()
	for _, path := range s.options.oauth.Paths() {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if _, _, ok := reached.Reached(r); !ok {
				umphttp.WriteError(w, &memory.Error{Kind: memory.ForbiddenScope, Message: "remote assistants need TLS: start satchel serve with --tls-cert and --tls-key, or name the proxy that speaks TLS with --origin https://NAME"})
				return
			}
			s.options.oauth.ServeHTTP(w, r)
		})
	}
}

// challenge makes refusals say where tokens come from, if remote assistants can ask for some.
func (s *server) challenge(next http.Handler) http.Handler {
	if s.options.oauth == nil {
		return next
	}
	return s.options.oauth.Challenge(next)
}

// resourceFor returns the part of the server that the token of a request may be made for.
func (o Options) resourceFor(r *http.Request) string {
	if o.oauth == nil {
		return ""
	}
	return o.oauth.ResourceFor(r)
}

// stepUp tells a remote assistant which scope to ask for when its token lacks a verb.
func (o Options) stepUp(h http.Header, r *http.Request, c memory.Caller, lacks memory.Verb) bool {
	if o.oauth == nil || c.Grant == nil {
		return false
	}
	h.Set("WWW-Authenticate", o.oauth.StepUp(r, c.Grant.Verbs, lacks))
	return true
}

// admitOutside returns the caller that another issuer's token admits.
func (o Options) admitOutside(ctx context.Context, token string) (memory.Caller, error) {
	b, ok := o.Backend.(vaultBackend)
	if !ok {
		return memory.Caller{}, unauthorized("this token is neither the owner's nor a capability token")
	}
	owner, grant, err := o.OAuth.Outside.Grant(ctx, token)
	if err != nil {
		return memory.Caller{}, err
	}
	return b.delegations.AdmitGrant(ctx, owner, *grant)
}

// grants keeps what owners granted to remote assistants.
type grants struct{ service *delegation.Service }

// Has reports whether a client uses a grant of the caller's.
func (g grants) Has(ctx context.Context, c memory.Caller, client string) (bool, error) {
	return g.service.Has(ctx, c, client)
}

// Grant makes a grant.
func (g grants) Grant(ctx context.Context, c memory.Caller, o oauth.Order) (string, error) {
	return g.service.Grant(ctx, c, delegation.Order{Client: o.Client, Redirect: o.Redirect, Challenge: o.Challenge, Replaces: o.Replaces, Token: vault.TokenOrder{
		Verbs: o.Verbs, Projects: o.Projects, Visibility: o.Visibility, Audience: o.Resource, Expires: o.Until, Name: o.Name, Runtime: o.Runtime}})
}

// Exchange spends a code.
func (g grants) Exchange(ctx context.Context, code string, p oauth.Proof) (oauth.Tokens, error) {
	t, err := g.service.Exchange(ctx, code, delegation.Proof(p))
	return tokensOf(t), err
}

// Refresh spends a refresh token.
func (g grants) Refresh(ctx context.Context, token string, n oauth.Renewal) (oauth.Tokens, error) {
	t, err := g.service.Refresh(ctx, token, delegation.Renewal(n))
	return tokensOf(t), err
}

// Revoke ends a grant that a client gives back.
func (g grants) Revoke(ctx context.Context, token, client string, resources []string) error {
	return g.service.Revoke(ctx, token, client, resources)
}

func tokensOf(t delegation.Tokens) oauth.Tokens {
	out := oauth.Tokens{Access: t.Access, Refresh: t.Refresh, Verbs: t.Claims.Verbs, Expires: t.Claims.Expires}
	if t.Claims.Runtime != nil {
		out.Context = t.Claims.Runtime.Scope
	}
	return out
}
