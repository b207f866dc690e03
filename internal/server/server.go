package server

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2ahttp"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// server answers every route.
type server struct {
	http.Handler
	options  Options
	ump      *umphttp.Handler
	aimem    *aimemhttp.Handler  // nil if the backend has no bundles
	engram   *engramhttp.Handler // nil if it has no contexts
	aaif     *aaifhttp.Handler   // nil if the server keeps no agents
	a2a      *a2ahttp.Handler    // nil if no agent is served
	mcp      *umpmcp.HTTP
	pages    *pages.Handler // nil if the server has no pages
	inbox    *upload.Inbox  // for files that browsers send; nil if the server has no pages
	checkups *checkups      // of the store, for the pages
	metrics  *metrics
	own      httpkit.Table[*server]
	// described returns the description of the server, which it makes when it is first asked.
	described func() (described, error)
	stopping  atomic.Bool     // the server is about to stop
	streams   context.Context // ends when streams have to end
	cut       context.CancelFunc
	ending    context.Context // ends when the server is about to stop, before the streams do
	endWaits  context.CancelFunc
	sweeper   *time.Timer   // looks for unused contexts; nil: there are none
	hooks     chan struct{} // closed after the last delivery
}

// newServer returns a server that does not listen yet; see [Serve].
func newServer(o Options) (*server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	o.Backend, o.Pages.known, o.exports = isolate(o), &knownVisits{}, newOwnerTurns(o.Owner, maxExports)
	o.Machines = o.Machines.withDefaults(o)
	if o.oauth, err = newOAuth(o); err != nil {
		return nil, err
	}
	ending, endWaits := context.WithCancel(context.Background())
	served, err := newPeerHandler(o, ending)
	if err != nil {
		endWaits()
		return nil, err
	}
	inbox, examined := newInbox(o), newCheckups(o)
	s := &server{options: o, ending: ending, endWaits: endWaits, ump: newUMPHandler(o), aimem: newBundleHandler(o), engram: newContextHandler(o), aaif: newAgentHandler(o, ending), a2a: served, mcp: newMCPHandler(o), pages: newPages(o, inbox, examined), inbox: inbox, checkups: examined, metrics: newMetrics(), own: ownRoutes()}
	s.described = sync.OnceValues(s.describe)
	s.streams, s.cut = context.WithCancel(context.Background())
	s.Handler = s.observe(secureHeaders(guard(o, cors(o, identify(o, limit(o, s.metrics, restrictContextTokens(o, s.gateAnswers(s.routes()))))))))
	if s.engram != nil {
		s.sweeper = time.AfterFunc(time.Hour, s.sweepContexts)
		s.sweeper.Reset(sweepEvery) // so that sweepContexts finds it
	}
	s.hooks = startDeliveries(s.streams, o)
	o.Telemetry.Measure(s.families)
	return s, nil
}

// streamGrace is how long a stream has to end by itself when the server stops.
const streamGrace = time.Second

// endStreams makes all streams end. Without it they would keep the server from stopping as
// long as their clients like.
func (s *server) endStreams() {
	_ = s.ump.Close() // cannot fail
	s.mcp.CloseStreams()
	time.AfterFunc(streamGrace, s.cut)
}

// Close ends streams and the sessions of MCP clients.
func (s *server) Close() error {
	s.endWaits()
	s.cut()
	<-s.hooks
	if s.sweeper != nil {
		s.sweeper.Stop()
	}
	return errors.Join(s.closePages(), s.ump.Close(), s.mcp.Close())
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/ump", s.ump)
	mux.Handle("/ump/", s.ump)
	mux.Handle("/.well-known/ump.json", s.ump)
	mux.Handle("/.well-known/ump/", s.ump)
	if s.aimem != nil {
		mux.Handle("/v1/brain", s.purgeOnErasure(s.aimem))
		mux.Handle("/v1/brain/", s.aimem)
		mux.Handle("/.well-known/aimem-pubkey", s.aimem)
		mux.Handle("/.well-known/aimem-spec", s.aimem)
	}
	if s.engram != nil {
		contexts := s.challenge(s.engram)
		mux.Handle("/v1/", contexts)
		for _, path := range engramhttp.Paths() {
			mux.Handle(path, contexts)
		}
	}
	s.mountAgents(mux)
	s.mountPeers(mux)
	mux.Handle(umpmcp.Path, s.challenge(s.requireIdentity(s.mcp)))
	s.mountOAuth(mux)
	s.mountOwn(mux)
	s.mountPages(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, &memory.Error{Kind: memory.NotFound, Message: "there is nothing here; see GET /.well-known/ump.json"})
	})
	return mux
}

func newUMPHandler(o Options) *umphttp.Handler {
	return umphttp.New(o.Backend, umphttp.Options{
		Authenticate: authenticate, MaxBody: o.MaxBody, Endpoint: o.Endpoint, Exports: o.Exports,
		Public: o.publicRecords(), Slots: requestSlots(newSlotPool(maxReadings, 1)), Exporting: o.exports.take, Anonymous: o.Public, Owner: o.Owner,
		Now: time.Now, Refused: o.reportRefusal, Report: o.report,
	})
}

// publicRecords returns a function that yields the public records, or nil if strangers get
// none.
func (o Options) publicRecords() func(context.Context, func(memory.Record) error) error {
	b, ok := o.Backend.(publisher)
	if !ok || !o.Public {
		return nil
	}
	return func(ctx context.Context, yield func(memory.Record) error) error { return b.Public(ctx, o.Owner, yield) }
}

// baseOptions admits the callers that authenticate returns, and reports errors.
func (o Options) baseOptions(authenticate func(*http.Request) (memory.Caller, error)) httpkit.BaseOptions {
	return httpkit.BaseOptions{Authenticate: authenticate, Refused: o.reportRefusal, Report: o.report, Now: time.Now}
}

// report logs the cause behind an answer that hides it.
func (o Options) report(r *http.Request, err error) {
	o.Log.ErrorContext(r.Context(), "request failed", "request", requestID(r.Context()), "error", err)
}

// reportRefusal passes on a binding's own refusal.
func (o Options) reportRefusal(r *http.Request, kind memory.ErrorKind) {
	o.recordRefusal(r.Context(), kind, routeOf(r.URL.Path))
}

func newMCPHandler(o Options) *umpmcp.HTTP {
	return umpmcp.NewHTTP(o.Backend, umpmcp.Options{
		Dotted: o.Dotted, Version: o.Release, Now: func() time.Time { return time.Now().UTC() },
		Report: func(doing string, err error) { o.Log.Error("tool failed", "operation", doing, "error", err) },
	}, umpmcp.HTTPOptions{
		Who: authenticate, Refused: o.reportRefusal, StepUp: o.stepUp, Now: time.Now, Owner: o.Owner,
		Stateless: o.Stateless, NewID: rand.Text,
		MaxBody: o.MaxBody + 1<<20, // so that the binding can refuse a large record as a record
	})
}
