package server

import (
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Contexts say how a server issues the contexts that assistants start from (Engram). It
// serves them if the backend is an [engram.Backend].
type Contexts struct {
	// Issuer returns who issues contexts at the moment, and with which key; nil: nobody.
	Issuer      func() (engramhttp.Issuer, error)
	NoPending   bool // leaves out corrections that wait for the owner
	Constraints bool // puts constraints in (edition 0.1.2)
	// Rate is how many requests a minute each capability token may make for contexts; 0:
	// 120.
	Rate float64
	Next engramhttp.Next // which features of later editions the server offers; the zero Next: none
	// PrivateHooks lets subscribers use addresses of this machine and of private networks.
	// HookRoots are the authorities whose certificates they may have; nil: the system's.
	PrivateHooks bool
	HookRoots    *x509.CertPool
}

// sweepEvery is how often the server looks for unused contexts.
const sweepEvery = time.Minute

// newContextHandler returns the Engram binding, or nil if the backend has no contexts.
func newContextHandler(o Options) *engramhttp.Handler {
	b, ok := o.Backend.(engram.Backend)
	if !ok {
		return nil
	}
	return engramhttp.New(b, engramhttp.Options{
		BaseOptions: o.baseOptions(authenticateRuntime),
		Issuer:      o.Contexts.Issuer, NoPending: o.Contexts.NoPending, Constraints: o.Contexts.Constraints, Next: o.Contexts.Next,
	})
}

// authenticateRuntime is authenticate, with Engram's own answers for an expired token and
// for a token of an owner that the store does not hold.
func authenticateRuntime(r *http.Request) (memory.Caller, error) {
	c, err := authenticate(r)
	switch {
	case errors.Is(err, ump.ErrTokenExpired):
		err = &engram.Fault{Code: engram.TokenExpired, Rule: "ENGRAM-3.9-ERR-3", Detail: "the token has expired; ask the owner for a new one"}
	case errors.Is(err, ump.ErrTokenStranger):
		err = &engram.Fault{Code: engram.UserNotFound, Rule: "ENGRAM-3.9-ERR-5", Detail: "there is no memory of this user here"}
	}
	return c, err
}

// isContextPath reports whether a path belongs to a context and needs a token.
func isContextPath(path string) bool {
	return path == "/v1/context" || strings.HasPrefix(path, "/v1/context/")
}

// isEngramPath reports whether a path answers in Engram's form. Paths below /v1/ that
// belong to no other protocol do as well.
func isEngramPath(path string) bool {
	return isContextPath(path) || engramhttp.IsPublic(path) || strings.HasPrefix(path, "/v1/") && !isBundlePath(path)
}

// isBundlePath reports whether a path belongs to the AIMEM binding.
func isBundlePath(path string) bool {
	return path == "/v1/brain" || strings.HasPrefix(path, "/v1/brain/") || strings.HasPrefix(path, "/.well-known/aimem-")
}

// restrictContextTokens refuses a context token on every other route (ENGRAM-3.9-AUTH-5).
// Public routes stay open to it.
func restrictContextTokens(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, path := identityOf(r), r.URL.Path
		if a.err == nil && a.caller.Grant != nil && a.caller.Grant.Runtime != nil && !isOpenToContexts(path) {
			o.recordRefusal(r.Context(), memory.ForbiddenScope, routeOf(path))
			refuse(w, r, &memory.Error{Kind: memory.ForbiddenScope, Rule: "ENGRAM-3.9-AUTH-5",
				Message: "the token is for the context that an assistant starts from, at /v1/context, and for nothing else"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isOpenToContexts reports whether a context token may be sent with a request for a path.
func isOpenToContexts(path string) bool {
	return isContextPath(path) || routeOf(path) == "other" || pages.Has(path) || ownRoutes().IsPublic(path) ||
		strings.HasPrefix(path, "/.well-known/") || engramhttp.IsPublic(path) || oauth.IsPublic(path)
}

// purgeOnErasure drops the answers kept for a repeated request when their owner erases
// everything.
func (s *server) purgeOnErasure(next http.Handler) http.Handler {
	if s.engram == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a := identityOf(r); r.Method == http.MethodDelete && a.err == nil {
			defer s.engram.Forget(a.caller.Owner)
		}
		next.ServeHTTP(w, r)
	})
}

// sweepContexts drops unused contexts from time to time until the server stops.
func (s *server) sweepContexts() {
	if s.engram == nil || s.streams.Err() != nil {
		return
	}
	s.engram.Sweep()
	s.sweeper.Reset(sweepEvery)
}
