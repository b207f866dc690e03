package server

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/satchel-memory/satchel/memory"
)

type noteKey struct{}

// note is what the inner handlers of a request find out for its line in the log.
// It is written by the goroutine that serves the request only.
type note struct {
	id    string // of the request; its answer carries it, too
	role  string // of who asks: "" until it is known
	token string // id of a capability token
	owner string // who is asked for, unless it is whose server this is

	stranger bool // shows no credentials
}

// noteOf returns the note of a request, an unread one when there is none.
func noteOf(r *http.Request) *note {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

// requestID returns the number of the request, which its answer and its log
// lines carry.
func requestID(ctx context.Context) string {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		return n.id
	}
	return ""
}

// maxTokenID is the most bytes of a token's id that are logged.
const maxTokenID = 64

// maxOwner is the most bytes of an owner's DID that are logged.
const maxOwner = 128

// asker writes down who asks, by role, token and owner, never by what was sent. home
// is whose server this is.
func (n *note) asker(a *asker, home memory.DID) {
	if a.err == nil && a.caller.Owner != home {
		n.owner = string(a.caller.Owner)
	}
	switch {
	case a.err == nil:
		n.role, n.token = roleOf(a.caller.Role), tokenID(a.caller)
	case a.means == nothing:
		n.role, n.stranger = roleOf(memory.Stranger), true
	default:
		n.role = "refused"
	}
	n.token = n.token[:min(len(n.token), maxTokenID)]
	n.owner = n.owner[:min(len(n.owner), maxOwner)]
}

// attributes are what the log says of the request.
func (n *note) attributes(r *http.Request) []slog.Attr {
	out := []slog.Attr{
		slog.String("request", n.id), slog.String("method", methodOf(r)), slog.String("route", routeOf(r.URL.Path)),
	}
	if n.role != "" {
		out = append(out, slog.String("role", n.role))
	}
	if n.token != "" {
		out = append(out, slog.String("token", n.token))
	}
	if n.owner != "" {
		out = append(out, slog.String("owner", n.owner))
	}
	return out
}
