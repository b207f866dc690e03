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
	sessionless = "2026-07-28" // first revision of MCP without sessions
	tokenCaller = "caller"     // where a request's token info holds the caller
)

// HTTPOptions steer the streamable HTTP transport.
type HTTPOptions struct {
	// Who returns who makes a request, or fails with an error of kind Unauthorized.
	// Requests carry their token as "Authorization: Bearer …". It is asked again,
	// and says then what holds then: when a message was long on its way, while a
	// stream is open, and for a session now and then, with a request that has the
	// context and the header Authorization of the one that began it.
	Who func(*http.Request) (memory.Caller, error)
	// Refused is told of requests that were turned away because they are about
	// another's session. nil: nobody is told.
	Refused func(*http.Request, memory.ErrorKind)
	// Now tells the time by which a token that has just expired may still be good.
	// nil: none is.
	Now func() time.Time
	// Owner is whose server this is, where it serves several owners; empty: it serves
	// one.
	Owner memory.DID
	// Stateless keeps no sessions, so that any of several servers answers any request
	// of a conversation, wherever that began. Clients of revisions before 2026-07-28
	// are then told of no changes: there is nothing to GET, and nothing to subscribe
	// to. What such a client calls itself when it begins goes into the id of its
	// session, and comes back with each of its requests.
	Stateless bool
	// NewID makes names for such sessions, each another, of letters and digits. nil:
	// they have no id.
	NewID func() string
	// MaxBody is the most bytes of a message; 0: 5 MiB.
	MaxBody int64
	// MaxSessions is the most sessions open at once; 0: 1000. A tenth of them is for
	// whose server this is, in person, and a quarter is the most of any other owner.
	MaxSessions int
	// MaxSessionsEach is the most sessions of one token. Whose server this is, in
	// person, may have as many as there are. 0: 64.
	MaxSessionsEach int
	// SessionTimeout ends a session without requests and without a stream; 0: 30
	// minutes.
	SessionTimeout time.Duration
	// Recheck is how often the credentials of sessions are looked at again; those
	// whose token has ended are closed. 0: 30 s.
	Recheck time.Duration
	// MaxStreams is the most streams that are open at once for one token; 0: 100. All
	// of an owner whose server this is not may have four times as many.
	MaxStreams int
	// Heartbeat is how often a stream says that it is alive, and how often its
	// credentials are looked at again; 0: 15 s.
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
		h.Now = never
	}
	return h
}

// HTTP serves MCP over streamable HTTP. Requests of revision 2026-07-28 and
// later stand alone; older ones belong to a session. Where the service can be
// followed, changes are told on a stream: that of subscriptions/listen, or the
// one a session opens with GET. Host and Origin are for the surrounding server to
// judge.
type HTTP struct {
	options  HTTPOptions
	watch    *watch // nil: there are no streams
	open     *counter
	servers  []*mcp.Server
	sessions *sessions
	old, new http.Handler
	stopping context.Context
	stop     context.CancelFunc
}

var _ http.Handler = (*HTTP)(nil)

// NewHTTP returns MCP over HTTP for b. The caller of o is not used: who speaks
// is found per request.
func NewHTTP(b Backend, o Options, h HTTPOptions) *HTTP {
	h = h.filled()
	o.Caller = memory.Caller{}
	o = o.filled()
	t := full(b, o)
	if t.watch != nil {
		t.watch.now = h.Now
	}
	alone, sessionful := newServer(b, o, t), t
	if h.Stateless {
		sessionful.watch = nil
	}
	older := newServer(b, o, sessionful)
	stopping, stop := context.WithCancel(context.Background())
	return &HTTP{options: h, stopping: stopping, stop: stop, watch: t.watch, open: newCounter(h), servers: []*mcp.Server{alone, older},
		sessions: newSessions(older, h, stopping),
		old:      h.identified(older, &mcp.StreamableHTTPOptions{Stateless: h.Stateless}),
		new:      h.identified(alone, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}),
	}
}

type callerKey struct{}

// identified serves requests together with who makes them. The SDK keeps a
// session to the one who opened it.
func (h HTTPOptions) identified(server *mcp.Server, o *mcp.StreamableHTTPOptions) http.Handler {
	o.JSONResponse, o.MaxRequestBodyBytes = true, h.MaxBody
	o.DisableLocalhostProtection = true // Host is judged by whoever mounts this, who knows the names
	verify := func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		caller, ok := ctx.Value(callerKey{}).(memory.Caller)
		if !ok {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: holder(caller), Extra: map[string]any{tokenCaller: caller}}, nil
	}
	serve := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(serve)
}

// holder names whose session it is: that of one token, not of an owner.
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
	answer := &enveloped{ResponseWriter: w}
	if err := h.serve(answer, r); err != nil {
		writeError(w, err)
		return
	}
	if answer.status == http.StatusForbidden {
		h.options.Refused(r, memory.ForbiddenScope)
	}
	answer.finish()
}

// serve has a request answered, or says why not.
func (h *HTTP) serve(w http.ResponseWriter, r *http.Request) error {
	if allowed := h.methods(); !slices.Contains(allowed, r.Method) {
		return wrongMethod(allowed)
	}
	caller, err := h.options.Who(r)
	if err != nil {
		return err
	}
	if r, err = h.arrived(w, r, caller); err != nil {
		return err
	}
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case r.Header.Get("Mcp-Protocol-Version") >= sessionless:
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

// CloseStreams ends every stream and begins no other. A server calls it when it
// begins to stop, because a stream does not end by itself.
func (h *HTTP) CloseStreams() { h.stop() }

// Close ends every session and stream. What is under way is finished first.
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
