package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

type identityKey struct{}

// found is what a request's credentials say.
type found struct {
	caller memory.Caller
	err    error
}

// identify finds out once who asks and leaves it with the request; [identity]
// tells it to the bindings.
func identify(o Options, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(o.Token))
	owner := memory.Caller{Owner: o.Owner, Role: memory.Owner}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := found{caller: owner}
		token, err := bearer(r)
		given := sha256.Sum256([]byte(token))
		switch {
		case err != nil:
			who = found{err: err}
		case subtle.ConstantTimeCompare(given[:], want[:]) != 1:
			who = found{err: unauthorized("the token is not the owner's")}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, who)))
	})
}

// bearer returns the token of the Authorization header.
func bearer(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return "", unauthorized("send the owner's token as Authorization: Bearer …")
	}
	scheme, token, ok := strings.Cut(given[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", unauthorized("send the owner's token as Authorization: Bearer …")
	}
	return strings.TrimSpace(token), nil
}

func unauthorized(message string) error {
	return &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-3.7-2", Message: message}
}

// identity returns who makes a request that has been identified.
func identity(r *http.Request) (memory.Caller, error) {
	who, ok := r.Context().Value(identityKey{}).(found)
	if !ok {
		return memory.Caller{}, unauthorized("nobody has asked who this is")
	}
	return who.caller, who.err
}

// signedIn lets only identified callers through.
func signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := identity(r); err != nil {
			umphttp.WriteError(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
