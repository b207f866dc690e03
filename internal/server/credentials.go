package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// maxAuthorization is the most bytes of an Authorization header.
const maxAuthorization = 16 << 10

type identityKey struct{}

// identify finds out who makes a request, and stores the identity with it; [authenticate]
// hands it to the bindings. It looks for credentials in the Authorization header only.
func identify(o Options, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(o.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := o.identityFrom(r, want)
		a.caller, a.err = a.find(r.Context())
		noteOf(r).setIdentity(a, o.Owner)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, a)))
	})
}

// identityFrom returns who makes a request. owner is the digest of the owner's token: a
// comparison of digests takes a time that reveals nothing of the token.
func (o Options) identityFrom(r *http.Request, owner [sha256.Size]byte) *identity {
	a := &identity{credential: invalidCredential}
	a.address, a.proxied = o.addressOf(r)
	token, err := bearer(r)
	given := sha256.Sum256([]byte(token))
	switch {
	case len(r.Header.Values("Authorization")) == 0:
		a.credential, a.find = noCredential, refusedIdentity(err)
	case err != nil:
		a.find = refusedIdentity(err)
	case subtle.ConstantTimeCompare(given[:], owner[:]) == 1:
		a.credential = ownerToken
		a.find = func(context.Context) (memory.Caller, error) {
			return memory.Caller{Owner: o.Owner, Role: memory.Owner}, nil
		}
	case ump.IsToken(token):
		a.credential = capabilityToken
		resource := o.resourceFor(r)
		a.find = func(ctx context.Context) (memory.Caller, error) { return o.admit(ctx, token, resource) }
	case o.OAuth.Outside != nil && o.resourceFor(r) != "" && strings.Count(token, ".") == 2:
		a.credential = capabilityToken
		a.find = func(ctx context.Context) (memory.Caller, error) { return o.admitOutside(ctx, token) }
	default:
		a.find = refusedIdentity(unauthorized("this token is neither the owner's nor a capability token"))
	}
	return a
}

// admit asks the backend which caller a capability token admits. The caller reads the
// memory of the owner who issued the token. resource is what the token may be made for;
// empty: it may not be made for a part of the server.
func (o Options) admit(ctx context.Context, token, resource string) (memory.Caller, error) {
	b, ok := o.Backend.(admitter)
	if !ok {
		return memory.Caller{}, unauthorized("capability tokens are not taken here; use the owner's token")
	}
	admit := b.Admit
	if at, ok := o.Backend.(vaultBackend); ok && resource != "" {
		admit = func(ctx context.Context, token string) (memory.Caller, error) {
			return at.delegations.AdmitAt(ctx, token, resource)
		}
	}
	caller, err := admit(ctx, token)
	if err != nil {
		return memory.Caller{}, err
	}
	if caller.Owner == "" {
		return memory.Caller{}, unauthorized("the token is nobody's")
	}
	return caller, nil
}

func refusedIdentity(err error) func(context.Context) (memory.Caller, error) {
	return func(context.Context) (memory.Caller, error) { return memory.Caller{}, err }
}

// bearer returns the token of the Authorization header.
func bearer(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return "", unauthorized("send one token, as Authorization: Bearer …")
	}
	if len(given[0]) > maxAuthorization {
		return "", unauthorized("the Authorization header is longer than any token")
	}
	scheme, token, ok := strings.Cut(given[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", unauthorized("send a token as Authorization: Bearer …")
	}
	return strings.TrimSpace(token), nil
}

func unauthorized(message string) error {
	return &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-3.7-2", Message: message}
}

// identityOf returns who makes a request.
func identityOf(r *http.Request) *identity {
	if a, ok := r.Context().Value(identityKey{}).(*identity); ok {
		return a
	}
	err := unauthorized("nobody has asked who this is")
	return &identity{err: err, find: refusedIdentity(err)}
}

// authenticate returns a request's caller to a binding.
func authenticate(r *http.Request) (memory.Caller, error) { return identityOf(r).resolve(r.Context()) }

// requireIdentity admits identified callers only.
func (s *server) requireIdentity(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := identityOf(r).err; err != nil {
			if memory.KindOf(err) == memory.Internal {
				s.options.report(r, err)
			}
			umphttp.WriteError(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
