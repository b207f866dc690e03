package umpmcp

import (
	"context"
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
	// Who returns who makes a request, which has been authenticated, or false
	// when it has not. Requests carry their token as "Authorization: Bearer …".
	Who func(*http.Request) (memory.Caller, bool)
	// MaxBody is the most bytes of a message; 0: 5 MiB.
	MaxBody int64
	// MaxSessions is the most sessions open at once; 0: 1000.
	MaxSessions int
	// SessionTimeout ends a session without requests; 0: 30 minutes.
	SessionTimeout time.Duration
}

// HTTP serves MCP over streamable HTTP. Requests of revision 2026-07-28 and
// later stand alone; older ones belong to a session. The server never speaks
// first, so there is no stream to open with GET. Host and Origin are for the
// surrounding server to judge.
type HTTP struct {
	options  HTTPOptions
	sessions *mcp.Server
	old, new http.Handler
}

var _ http.Handler = (*HTTP)(nil)

// NewHTTP returns MCP over HTTP for b. The caller of o is not used: who speaks
// is found per request.
func NewHTTP(b Backend, o Options, h HTTPOptions) *HTTP {
	if h.MaxBody == 0 {
		h.MaxBody = 5 << 20
	}
	if h.MaxSessions == 0 {
		h.MaxSessions = 1000
	}
	if h.SessionTimeout == 0 {
		h.SessionTimeout = 30 * time.Minute
	}
	o.Caller = memory.Caller{}
	server, sessions := New(b, o), New(b, o)
	return &HTTP{options: h, sessions: sessions,
		old: h.identified(sessions, &mcp.StreamableHTTPOptions{SessionTimeout: h.SessionTimeout}),
		new: h.identified(server, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}),
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
		return &auth.TokenInfo{UserID: string(caller.Owner), Extra: map[string]any{tokenCaller: caller}}, nil
	}
	serve := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, o)
	return auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(serve)
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method != http.MethodPost && r.Method != http.MethodDelete:
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "MCP is spoken with POST; there is no stream to GET", http.StatusMethodNotAllowed)
	case r.Header.Get("Mcp-Protocol-Version") >= sessionless:
		h.new.ServeHTTP(w, r)
	case r.Header.Get("Mcp-Session-Id") == "" && h.full():
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions are open; close some with DELETE", http.StatusServiceUnavailable)
	default:
		h.old.ServeHTTP(w, r)
	}
}

func (h *HTTP) full() bool {
	return len(slices.Collect(h.sessions.Sessions())) >= h.options.MaxSessions
}

// Close ends every session. What is under way is finished first.
func (h *HTTP) Close() error {
	for session := range h.sessions.Sessions() {
		_ = session.Close() // it may have ended meanwhile
	}
	return nil
}
