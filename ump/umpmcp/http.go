package umpmcp

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
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
	// MaxBody is the most bytes of a message; 0: 5 MiB.
	MaxBody int64
	// MaxSessions is the most sessions open at once; 0: 1000. A tenth of them is for
	// the owner.
	MaxSessions int
	// MaxSessionsEach is the most sessions of one token. The owner may have as many
	// as there are. 0: 64.
	MaxSessionsEach int
	// SessionTimeout ends a session without requests and without a stream; 0: 30
	// minutes.
	SessionTimeout time.Duration
	// Recheck is how often the credentials of sessions are looked at again; those
	// whose token has ended are closed. 0: 30 s.
	Recheck time.Duration
	// MaxStreams is the most streams that are open at once for one token; 0: 100.
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
	alone, older := newServer(b, o, t), newServer(b, o, t)
	stopping, stop := context.WithCancel(context.Background())
	return &HTTP{options: h, stopping: stopping, stop: stop, watch: t.watch, open: newCounter(h.MaxStreams), servers: []*mcp.Server{alone, older},
		sessions: newSessions(older, h, stopping),
		old:      h.identified(older, &mcp.StreamableHTTPOptions{}),
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
	if r.Method != http.MethodPost && r.Method != http.MethodDelete && (r.Method != http.MethodGet || h.watch == nil) {
		return h.wrongMethod()
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

// trusted is how long credentials that were found good are relied on.
const trusted = time.Second

// arrived returns the request with all of its message and who makes it. A token
// may have ended while its message trickled in (UMP-5.2-8).
func (h *HTTP) arrived(w http.ResponseWriter, r *http.Request, c memory.Caller) (*http.Request, error) {
	identified := r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
	if r.Method != http.MethodPost {
		return identified, nil
	}
	prompt, done := context.WithTimeout(r.Context(), trusted)
	defer done()
	data, err := h.body(w, r)
	if err == nil && prompt.Err() != nil {
		err = h.again(r, c)
	}
	if err != nil {
		return nil, err
	}
	identified.Body = io.NopCloser(bytes.NewReader(data))
	return identified, nil
}

// again fails when the caller would not be let in now as it was at the beginning.
func (h *HTTP) again(r *http.Request, c memory.Caller) error {
	now, err := h.options.Who(r)
	if err == nil && holder(now) != holder(c) {
		err = &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-5.2-8", Message: "the token is no longer what it was; send the request again"}
	}
	return err
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

func (h *HTTP) wrongMethod() error {
	allow, message := "POST, DELETE", "MCP is spoken with POST; there is no stream to GET"
	if h.watch != nil {
		allow, message = "GET, POST, DELETE", "MCP is spoken with POST, and heard with GET"
	}
	return &answer{http.StatusMethodNotAllowed, http.Header{"Allow": {allow}}, &memory.Error{Kind: memory.Unsupported, Message: message}}
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
