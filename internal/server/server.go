package server

import (
	"context"
	"net/http"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Server answers every route.
type Server struct {
	http.Handler
	options  Options
	mcp      *umpmcp.HTTP
	metrics  *metrics
	stopping context.Context // done once the server is to stop: streams end
	hush     context.CancelFunc
}

// New returns a server that does not listen yet; see [Serve].
func New(o Options) (*Server, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, mcp: mcpOver(o), metrics: newMetrics()}
	s.stopping, s.hush = context.WithCancel(context.Background())
	s.Handler = s.observe(secured(guard(o, identify(o, limit(o, s.metrics, s.routes())))))
	return s, nil
}

// Close ends streams and the sessions of MCP clients.
func (s *Server) Close() error {
	s.hush()
	return s.mcp.Close()
}

func (s *Server) routes() http.Handler {
	operations := umphttpOver(s.options)
	mux := http.NewServeMux()
	mux.Handle("/ump", operations)
	mux.Handle("/ump/", operations)
	mux.Handle("/.well-known/ump.json", operations)
	mux.Handle("/.well-known/ump/", operations)
	mux.Handle("/mcp", signedIn(s.mcp))
	mux.Handle("/healthz", reading(alive))
	mux.Handle("/readyz", reading(ready(s.options.Backend)))
	mux.Handle("/metrics", scraped(s.options, s.metrics))
	mux.Handle("/{$}", reading(home(s.options.Release)))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		umphttp.WriteError(w, &memory.Error{Kind: memory.NotFound, Message: "there is nothing here; see GET /.well-known/ump.json"})
	})
	return mux
}

func umphttpOver(o Options) http.Handler {
	return umphttp.New(o.Backend, umphttp.Options{
		Authenticate: identity, MaxBody: o.MaxBody, Endpoint: o.Endpoint, Exports: o.Exports,
		Report: func(r *http.Request, err error) {
			o.Log.ErrorContext(r.Context(), "request failed", "request", requestID(r.Context()), "error", err)
		},
	})
}

func mcpOver(o Options) *umpmcp.HTTP {
	return umpmcp.NewHTTP(o.Backend, umpmcp.Options{
		Dotted: o.Dotted, Version: o.Release,
		Report: func(doing string, err error) { o.Log.Error("tool failed", "operation", doing, "error", err) },
	}, umpmcp.HTTPOptions{
		Who: func(r *http.Request) (memory.Caller, bool) {
			caller, err := identity(r)
			return caller, err == nil
		},
		MaxBody: o.MaxBody + 1<<20, // so that a record too large is refused as a record
	})
}
