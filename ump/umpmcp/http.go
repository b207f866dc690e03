package umpmcp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

const (
	firstSessionless = "2026-07-28" // first revision of MCP without sessions
	tokenCaller      = "caller"     // key of the caller in a request's token info
)

// HTTPOptions configure the streamable HTTP transport.
type HTTPOptions struct {
	// Who returns the caller of a request, or fails with an error of kind Unauthorized.
	// Requests carry their token as "Authorization: Bearer …". The transport calls Who
	// again after a slow message, while a stream is open, and for each session at
	// intervals. Then the request has the context and the header Authorization of the
	// one that began the session or stream, and Who answers for the present moment.
	Who func(*http.Request) (memory.Caller, error)
	// Refused receives requests that the transport refused because the session belongs
	// to another token. nil: nobody receives them.
	Refused func(*http.Request, memory.ErrorKind)
	// StepUp adds to the header of a refusal how the caller gets a token that has the verb
	// which a call lacks, if it can get one. Such a call is refused with status 403. nil, or
	// false: the call gets a result that says what is missing.
	StepUp func(h http.Header, r *http.Request, c memory.Caller, lacks memory.Verb) bool
	// Now returns the time that decides whether a token that has just expired is still
	// accepted. nil: no such token is.
	Now func() time.Time
	// Owner is the owner of the server, if it serves several owners; empty: it serves
	// one.
	Owner memory.DID
	// Stateless keeps no sessions, so that any of several servers can answer any request
	// of a conversation. Clients of revisions before 2026-07-28 then get no
	// notifications: there is nothing to GET, and nothing to subscribe to. The id of
	// such a client's session contains the client's name, and returns with each request.
	Stateless bool
	// NewID makes unique names of letters and digits for such sessions. nil: they have
	// no id.
	NewID func() string
	// MaxBody is the most bytes of a message; 0: 5 MiB.
	MaxBody int64
	// MaxSessions is the most open sessions; 0: 1000. A tenth of them is reserved for
	// the owner of the server in person, and any other owner may have a quarter.
	MaxSessions int
	// MaxSessionsEach is the most sessions of one token; 0: 64. It does not limit the
	// owner of the server in person.
	MaxSessionsEach int
	// SessionTimeout ends a session without requests and without a stream; 0: 30
	// minutes.
	SessionTimeout time.Duration
	// Recheck is how often the transport checks the credentials of sessions again. It
	// closes sessions whose token has ended. 0: 30 s.
	Recheck time.Duration
	// MaxStreams is the most open streams of one token; 0: 100. All tokens of an owner
	// who does not own the server may together have four times as many.
	MaxStreams int
	// Heartbeat is how often a stream sends a heartbeat and checks its credentials
	// again; 0: 15 s.
	Heartbeat time.Duration
}

func (h HTTPOptions) filled() HTTPOptions {
	h.MaxBody = cmp.Or(h.MaxBody, 5<<20)
	h.MaxSessions = cmp.Or(h.MaxSessions, 1000)
	h.MaxSessionsEach = cmp.Or(h.MaxSessionsEach, 64)
	h.SessionTimeout = cmp.Or(h.SessionTimeout, 30*time.Minute)
	h.Recheck = cmp.Or(h.Recheck, 30*time.Second)
	h.MaxStreams = cmp.Or(h.MaxStreams, 100)
	h.Heartbeat = cmp.Or(h.Heartbeat, 15*time.Second)
	if h.Refused == nil {
		h.Refused = func(*http.Request, memory.ErrorKind) {}
	}
	if h.Now == nil {
		h.Now = noClock
	}
	return h
}

// HTTP serves MCP over streamable HTTP. Requests of revision 2026-07-28 and later are
// independent; older ones belong to a session. If the service reports changes, HTTP
// sends notifications on a stream: that of subscriptions/listen, or the one that a
// session opens with GET. The surrounding server must check Host and Origin.
type HTTP struct {
	options  HTTPOptions
	watch    *watch // nil: no streams
	open     *streamCounter
	servers  []*mcp.Server
	sessions *sessions
	old, new http.Handler
	stopping context.Context
	stop     context.CancelFunc
}

var _ http.Handler = (*HTTP)(nil)

// NewHTTP returns MCP over HTTP for b. It ignores the caller of o, because each request
// has its own.
func NewHTTP(b Backend, o Options, h HTTPOptions) *HTTP {
	h = h.filled()
	o.Caller = memory.Caller{}
	o = o.filled()
	t := levelThree(b, o)
	if t.watch != nil {
		t.watch.now = h.Now
	}
	alone, sessionful := newServer(b, o, t), t
	if h.Stateless {
		sessionful.watch = nil
	}
	older := newServer(b, o, sessionful)
	stopping, stop := context.WithCancel(context.Background())
	return &HTTP{options: h, stopping: stopping, stop: stop, watch: t.watch, open: newStreamCounter(h), servers: []*mcp.Server{alone, older},
		sessions: newSessions(older, h, stopping),
		old:      h.handler(older, &mcp.StreamableHTTPOptions{Stateless: h.Stateless}),
		new:      h.handler(alone, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}),
	}
}

// The context keys of a request's caller, and of the slot for the answer to its one call.
type (
	callerKey struct{}
	answerKey struct{}
)

// handler returns a handler that passes each request with its caller to the SDK. The SDK
// admits only the holder that opened a session.
func (h HTTPOptions) handler(server *mcp.Server, o *mcp.StreamableHTTPOptions) http.Handler {
	o.JSONResponse, o.MaxRequestBodyBytes = true, h.MaxBody
	o.DisableLocalhostProtection = true // the surrounding server checks Host: it knows its names
	verify := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		caller, ok := ctx.Value(callerKey{}).(memory.Caller)
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: holder(caller), Extra: map[string]any{tokenCaller: caller, slotKey: ctx.Value(answerKey{})}}, nil
	}
	serve := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(serve)
}

// holder identifies the token that a session belongs to.
func holder(c memory.Caller) string {
	grant := ""
	if c.Grant != nil {
		grant = c.Grant.ID
	}
	return fmt.Sprintf("%q %d %q %q", c.Owner, c.Role, grant, c.Session)
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	answer := &envelopeWriter{ResponseWriter: w}
	if err := h.serve(answer, r); err != nil {
		writeError(w, err)
		return
	}
	if answer.status == http.StatusForbidden {
		h.options.Refused(r, memory.ForbiddenScope)
	}
	answer.finish()
}

// serve answers a request, or returns the reason why it refuses it.
func (h *HTTP) serve(w *envelopeWriter, r *http.Request) error {
	if allowed := h.methods(); !slices.Contains(allowed, r.Method) {
		return wrongMethod(allowed)
	}
	caller, err := h.options.Who(r)
	if err != nil {
		return err
	}
	if r, err = h.readRequest(w, r, caller); err != nil {
		return err
	}
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case r.Header.Get("Mcp-Protocol-Version") >= firstSessionless:
		if h.watch != nil && r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			return h.stream(h.new, w, r, caller)
		}
		h.new.ServeHTTP(w, r)
	case h.options.Stateless:
		h.old.ServeHTTP(w, r)
	case id == "" && r.Method == http.MethodPost:
		return h.begin(w, r, caller)
	default:
		defer h.sessions.enter(id)()
		if r.Method == http.MethodGet {
			return h.stream(h.old, w, r, caller)
		}
		h.old.ServeHTTP(w, r)
	}
	return nil
}

// begin serves a request that begins a session.
func (h *HTTP) begin(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	leave, err := h.sessions.reserve(c)
	if err != nil {
		return err
	}
	defer leave()
	h.old.ServeHTTP(w, r)
	h.sessions.begin(w.Header().Get("Mcp-Session-Id"), c, r)
	return nil
}

// CloseStreams ends every stream and starts no other. A server calls it when it begins
// to stop, because streams do not end on their own.
func (h *HTTP) CloseStreams() { h.stop() }

// Close ends every session and stream, after it has finished the present calls.
func (h *HTTP) Close() error {
	h.stop()
	for _, server := range h.servers {
		for session := range server.Sessions() {
			_ = session.Close() // it may have ended meanwhile
		}
	}
	if h.watch != nil {
		h.watch.close()
	}
	return nil
}
