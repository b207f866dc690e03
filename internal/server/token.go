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

// identify finds out who asks and leaves it with the request; [authenticate]
// tells it to the bindings. Credentials are looked for in one place only, the
// Authorization header.
func identify(o Options, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(o.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := o.asker(r, want)
		a.caller, a.err = a.find(r.Context())
		noteOf(r).asker(a, o.Owner)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, a)))
	})
}

// asker returns who makes a request. owner is the digest of the owner's token:
// digests are compared, so that the time it takes says nothing of the token.
func (o Options) asker(r *http.Request, owner [sha256.Size]byte) *asker {
	a := &asker{address: addressOf(r), means: somethingNo}
	token, err := bearer(r)
	given := sha256.Sum256([]byte(token))
	switch {
	case len(r.Header.Values("Authorization")) == 0:
		a.means, a.find = nothing, refused(err)
	case err != nil:
		a.find = refused(err)
	case subtle.ConstantTimeCompare(given[:], owner[:]) == 1:
		a.means = ownersToken
		a.find = func(context.Context) (memory.Caller, error) {
			return memory.Caller{Owner: o.Owner, Role: memory.Owner}, nil
		}
	case ump.IsToken(token):
		a.means = capability
		a.find = func(ctx context.Context) (memory.Caller, error) { return o.admit(ctx, token) }
	default:
		a.find = refused(unauthorized("this token is neither the owner's nor a capability token"))
	}
	return a
}

// admit asks the backend whom a capability token lets in, and to whose memory: that
// of the owner who issued it.
func (o Options) admit(ctx context.Context, token string) (memory.Caller, error) {
	b, ok := o.Backend.(Admitter)
	if !ok {
		return memory.Caller{}, unauthorized("capability tokens are not taken here; use the owner's token")
	}
	caller, err := b.Admit(ctx, token)
	if err != nil {
		return memory.Caller{}, err
	}
	if caller.Owner == "" {
		return memory.Caller{}, unauthorized("the token is nobody's")
	}
	return caller, nil
}

func refused(err error) func(context.Context) (memory.Caller, error) {
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

// askerOf returns who makes a request.
func askerOf(r *http.Request) *asker {
	if a, ok := r.Context().Value(identityKey{}).(*asker); ok {
		return a
	}
	err := unauthorized("nobody has asked who this is")
	return &asker{err: err, find: refused(err)}
}

// authenticate tells a binding who makes a request.
func authenticate(r *http.Request) (memory.Caller, error) { return askerOf(r).ask(r.Context()) }

// signedIn lets only identified callers through.
func (s *Server) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := askerOf(r).err; err != nil {
			if memory.KindOf(err) == memory.Internal {
				s.options.report(r, err)
			}
			umphttp.WriteError(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
