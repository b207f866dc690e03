package server

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/memory"
)

type noteKey struct{}

// note holds what the inner handlers find out about a request for its log line. Only the
// goroutine that serves the request writes it.
type note struct {
	id    string // of the request; its answer carries it as well
	route string // of the request, as routeOf spells it
	role  string // of the caller: "" until it is known
	token string // id of a capability token
	owner string // whose memories the request asks for, unless it is the server's owner

	stranger bool // carries no credentials

	in, out *pace // of the client with the body and the answer
}

// noteOf returns the note of a request, or a note that nobody reads if there is none.
func noteOf(r *http.Request) *note {
	if n, ok := r.Context().Value(noteKey{}).(*note); ok {
		return n
	}
	return &note{}
}

// requestID returns the request's number, which its answer and its log lines carry.
func requestID(ctx context.Context) string {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		return n.id
	}
	return ""
}

// maxTokenID is the most bytes of a token's id in the log.
const maxTokenID = 64

// maxOwner is the most bytes of an owner's DID in the log.
const maxOwner = 128

// setIdentity notes the role, token and owner of a request, never the credentials. home is
// the server's owner.
func (n *note) setIdentity(a *identity, home memory.DID) {
	if a.err == nil && a.caller.Owner != home {
		n.owner = string(a.caller.Owner)
	}
	switch {
	case a.err == nil:
		n.role, n.token = roleOf(a.caller.Role), tokenID(a.caller)
	case a.credential == noCredential:
		n.role, n.stranger = roleOf(memory.Stranger), true
	default:
		n.role = "refused"
	}
	n.token = n.token[:min(len(n.token), maxTokenID)]
	n.owner = n.owner[:min(len(n.owner), maxOwner)]
}

// setVisitor notes whose visit a request to the pages belongs to.
func (n *note) setVisitor(c memory.Caller, home memory.DID) {
	n.role, n.stranger = roleOf(c.Role), false
	if c.Owner != home {
		n.owner = string(c.Owner[:min(len(c.Owner), maxOwner)])
	}
}

// attributes are the request's attributes in the log.
func (n *note) attributes(ctx context.Context, r *http.Request) []slog.Attr {
	out := []slog.Attr{
		slog.String("request", n.id), slog.String("method", methodOf(r)), slog.String("route", n.route),
	}
	if trace := telemetry.TraceID(ctx); trace != "" {
		out = append(out, slog.String("trace", trace))
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
