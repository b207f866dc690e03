package server

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Server answers every route.
type Server struct {
	http.Handler
	options Options
	ump     *umphttp.Handler
	aimem   *aimemhttp.Handler  // nil where the backend has no bundles
	engram  *engramhttp.Handler // nil where it has no contexts
	aaif    *aaifhttp.Handler   // nil where nobody keeps agents
	mcp     *umpmcp.HTTP
	metrics *metrics
	leaving atomic.Bool     // it is about to stop
	streams context.Context // done when streams have to end
	cut     context.CancelFunc
	sweeper *time.Timer   // looks through what is kept; nil: nothing is
	hooks   chan struct{} // closed when nobody is told of changes any more
}

// New returns a server that does not listen yet; see [Serve].
func New(o Options) (*Server, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	o.Backend = wall(o)
	s := &Server{options: o, ump: umphttpOver(o), aimem: aimemOver(o), engram: engramOver(o), aaif: agentsOver(o), mcp: mcpOver(o), metrics: newMetrics()}
	s.streams, s.cut = context.WithCancel(context.Background())
	s.Handler = s.observe(secured(guard(o, identify(o, limit(o, s.metrics, narrowed(o, s.gated(s.routes())))))))
	if s.engram != nil {
		s.sweeper = time.AfterFunc(time.Hour, s.tidy)
		s.sweeper.Reset(sweepEvery) // so that tidy finds it
	}
	s.hooks = tellSubscribers(s.streams, o)
	return s, nil
}

// farewell is how long a stream has to end by itself when the server stops.
const farewell = time.Second

// hush begins the end of all streams. Without it they would keep the server from
// stopping for as long as their clients like.
func (s *Server) hush() {
	_ = s.ump.Close() // which cannot fail
	s.mcp.CloseStreams()
	time.AfterFunc(farewell, s.cut)
}

// Close ends streams and the sessions of MCP clients.
func (s *Server) Close() error {
	s.cut()
	<-s.hooks
	if s.sweeper != nil {
		s.sweeper.Stop()
	}
	return errors.Join(s.ump.Close(), s.mcp.Close())
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/ump", s.ump)
	mux.Handle("/ump/", s.ump)
	mux.Handle("/.well-known/ump.json", s.ump)
	mux.Handle("/.well-known/ump/", s.ump)
	if s.aimem != nil {
		mux.Handle("/v1/brain", s.forgetting(s.aimem))
		mux.Handle("/v1/brain/", s.aimem)
		mux.Handle("/.well-known/aimem-pubkey", s.aimem)
		mux.Handle("/.well-known/aimem-spec", s.aimem)
	}
	if s.engram != nil {
		mux.Handle("/v1/", s.engram)
		for _, path := range engramhttp.Paths() {
			mux.Handle(path, s.engram)
		}
	}
	s.landsAt(mux)
	mux.Handle("/mcp", s.signedIn(s.mcp))
	mux.Handle("/healthz", reading(alive))
	mux.Handle("/readyz", reading(s.ready()))
	mux.Handle("/metrics", scraped(s.options, s.metrics))
	mux.Handle("/{$}", reading(home(s.options.Release)))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, &memory.Error{Kind: memory.NotFound, Message: "there is nothing here; see GET /.well-known/ump.json"})
	})
	return mux
}

func umphttpOver(o Options) *umphttp.Handler {
	return umphttp.New(o.Backend, umphttp.Options{
		Authenticate: authenticate, MaxBody: o.MaxBody, Endpoint: o.Endpoint, Exports: o.Exports,
		Public: o.published(), Place: placesOf(newRoom(maxReadings, 1)), Exporting: exportsOf(o.Owner), Anonymous: o.Public, Owner: o.Owner,
		Now: time.Now, Refused: o.refused, Report: o.report,
	})
}

// published returns what yields the public records, nil where nobody is to have
// them unasked.
func (o Options) published() func(context.Context, func(memory.Record) error) error {
	b, ok := o.Backend.(Publisher)
	if !ok || !o.Public {
		return nil
	}
	return func(ctx context.Context, yield func(memory.Record) error) error { return b.Public(ctx, o.Owner, yield) }
}

// door lets in whom authenticate does, and passes on what goes wrong.
func (o Options) door(authenticate func(*http.Request) (memory.Caller, error)) httpkit.BaseOptions {
	return httpkit.BaseOptions{Authenticate: authenticate, Refused: o.refused, Report: o.report, Now: time.Now}
}

// report logs the cause of an answer that hides one.
func (o Options) report(r *http.Request, err error) {
	o.Log.ErrorContext(r.Context(), "request failed", "request", requestID(r.Context()), "error", err)
}

// refused passes on what a binding refuses by itself.
func (o Options) refused(r *http.Request, kind memory.ErrorKind) {
	o.tell(r.Context(), kind, routeOf(r.URL.Path))
}

func mcpOver(o Options) *umpmcp.HTTP {
	return umpmcp.NewHTTP(o.Backend, umpmcp.Options{
		Dotted: o.Dotted, Version: o.Release, Now: func() time.Time { return time.Now().UTC() },
		Report: func(doing string, err error) { o.Log.Error("tool failed", "operation", doing, "error", err) },
	}, umpmcp.HTTPOptions{
		Who: authenticate, Refused: o.refused, Now: time.Now, Owner: o.Owner,
		Stateless: o.Stateless, NewID: rand.Text,
		MaxBody: o.MaxBody + 1<<20, // so that a record too large is refused as a record
	})
}
