package umpmcp

import (
	"cmp"
	"context"
	"fmt"
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
	// Who returns who makes a request, which has been authenticated, or false
	// when it has not. Requests carry their token as "Authorization: Bearer …". It
	// is asked again while a stream is open, and says then what holds then.
	Who func(*http.Request) (memory.Caller, bool)
	// MaxBody is the most bytes of a message; 0: 5 MiB.
	MaxBody int64
	// MaxSessions is the most sessions open at once; 0: 1000.
	MaxSessions int
	// SessionTimeout ends a session without requests and without a stream; 0: 30
	// minutes.
	SessionTimeout time.Duration
	// MaxStreams is the most streams that are open at once for one token; 0: 100.
	MaxStreams int
	// Heartbeat is how often a stream says that it is alive, and how often its
	// credentials are looked at again; 0: 15 s.
	Heartbeat time.Duration
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
	h.MaxBody = cmp.Or(h.MaxBody, 5<<20)
	h.MaxSessions = cmp.Or(h.MaxSessions, 1000)
	h.SessionTimeout = cmp.Or(h.SessionTimeout, 30*time.Minute)
	h.MaxStreams = cmp.Or(h.MaxStreams, 100)
	h.Heartbeat = cmp.Or(h.Heartbeat, 15*time.Second)
	o.Caller = memory.Caller{}
	o = o.filled()
	t := full(b, o)
	alone, older := newServer(b, o, t), newServer(b, o, t)
	stopping, stop := context.WithCancel(context.Background())
	return &HTTP{options: h, stopping: stopping, stop: stop, watch: t.watch, open: newCounter(h.MaxStreams), servers: []*mcp.Server{alone, older},
		sessions: newSessions(older, h.SessionTimeout),
		old:      h.identified(older, &mcp.StreamableHTTPOptions{}),
		new:      h.identified(alone, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}),
	}
}

// identified serves requests together with who makes them. The SDK keeps a
// session to the one who opened it.
func (h HTTPOptions) identified(server *mcp.Server, o *mcp.StreamableHTTPOptions) http.Handler {
	o.JSONResponse, o.MaxRequestBodyBytes = true, h.MaxBody
	o.DisableLocalhostProtection = true // Host is judged by whoever mounts this, who knows the names
	verify := func(_ context.Context, _ string, r *http.Request) (*auth.TokenInfo, error) {
		caller, ok := h.Who(r)
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
	id := r.Header.Get("Mcp-Session-Id")
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodDelete && (r.Method != http.MethodGet || h.watch == nil):
		h.refuse(w)
	case r.Header.Get("Mcp-Protocol-Version") >= sessionless:
		if h.watch != nil && r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			h.stream(h.new, w, r)
			return
		}
		h.new.ServeHTTP(w, r)
	case id == "" && r.Method == http.MethodPost:
		h.begin(w, r)
	default:
		defer h.sessions.enter(id)()
		if r.Method == http.MethodGet {
			h.stream(h.old, w, r)
			return
		}
		h.old.ServeHTTP(w, r)
	}
}

// begin serves a request that begins a session.
func (h *HTTP) begin(w http.ResponseWriter, r *http.Request) {
	if h.sessions.count() >= h.options.MaxSessions {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions are open; close some with DELETE", http.StatusServiceUnavailable)
		return
	}
	h.old.ServeHTTP(w, r)
	h.sessions.begin(w.Header().Get("Mcp-Session-Id"))
}

func (h *HTTP) refuse(w http.ResponseWriter) {
	allow, message := "POST, DELETE", "MCP is spoken with POST; there is no stream to GET"
	if h.watch != nil {
		allow, message = "GET, POST, DELETE", "MCP is spoken with POST, and heard with GET"
	}
	w.Header().Set("Allow", allow)
	http.Error(w, message, http.StatusMethodNotAllowed)
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
