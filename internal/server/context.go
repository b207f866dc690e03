package server

import (
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Contexts say how a server issues the contexts that assistants start from (Engram).
// They are served where the backend is an [engram.Backend].
type Contexts struct {
	// Issuer says who issues them at the moment, and with which key; nil: nobody.
	Issuer      func() (engramhttp.Issuer, error)
	NoPending   bool // leaves out corrections that wait for the owner
	Constraints bool // puts constraints in (edition 0.1.2)
	// Rate is how many requests a minute each capability token has there; 0: 120.
	Rate float64
	Next engramhttp.Next // what of later editions is offered; the zero Next: nothing
	// PrivateHooks lets subscribers be at addresses of this machine and of private
	// networks. HookRoots are whose certificates they may have; nil: the system's.
	PrivateHooks bool
	HookRoots    *x509.CertPool
}

// sweepEvery is how often contexts are looked through that are kept.
const sweepEvery = time.Minute

// engramOver returns the API over a backend that offers it, nil over others.
func engramOver(o Options) *engramhttp.Handler {
	b, ok := o.Backend.(engram.Backend)
	if !ok {
		return nil
	}
	return engramhttp.New(b, engramhttp.Options{
		BaseOptions: o.door(authenticateRuntime),
		Issuer:      o.Contexts.Issuer, NoPending: o.Contexts.NoPending, Constraints: o.Contexts.Constraints, Next: o.Contexts.Next,
	})
}

// authenticateRuntime is authenticate, and tells in the way of the API of a token that
// has expired, and of one from somebody of whom nothing is kept.
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

// ofContexts reports whether a path is of the context, for which a token is needed.
func ofContexts(path string) bool {
	return path == "/v1/context" || strings.HasPrefix(path, "/v1/context/")
}

// ofEngram reports whether a path answers in the way of Engram: what is below /v1/
// and of no other protocol, too.
func ofEngram(path string) bool {
	return ofContexts(path) || engramhttp.IsPublic(path) || strings.HasPrefix(path, "/v1/") && !ofBundles(path)
}

// ofBundles reports whether a path is one of the AIMEM profile.
func ofBundles(path string) bool {
	return path == "/v1/brain" || strings.HasPrefix(path, "/v1/brain/") || strings.HasPrefix(path, "/.well-known/aimem-")
}

// narrowed refuses whoever has a token for the context only, and asks for something
// else (ENGRAM-3.9-AUTH-5). What anybody may see stays open.
func narrowed(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, path := askerOf(r), r.URL.Path
		open := ofContexts(path) || routeOf(path) == "other" || path == "/" || probes(path) || strings.HasPrefix(path, "/.well-known/") || engramhttp.IsPublic(path)
		if a.err == nil && a.caller.Grant != nil && a.caller.Grant.Runtime != nil && !open {
			o.tell(r.Context(), memory.ForbiddenScope, routeOf(path))
			refuse(w, r, &memory.Error{Kind: memory.ForbiddenScope, Rule: "ENGRAM-3.9-AUTH-5",
				Message: "the token is for the context that an assistant starts from, at /v1/context, and for nothing else"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// forgetting drops what is kept to be sent again of an owner who erases everything.
func (s *Server) forgetting(next http.Handler) http.Handler {
	if s.engram == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a := askerOf(r); r.Method == http.MethodDelete && a.err == nil {
			defer s.engram.Forget(a.caller.Owner)
		}
		next.ServeHTTP(w, r)
	})
}

// tidy drops contexts that nobody asks for any more, now and then, until the server
// stops.
func (s *Server) tidy() {
	if s.engram == nil || s.streams.Err() != nil {
		return
	}
	s.engram.Sweep()
	s.sweeper.Reset(sweepEvery)
}
