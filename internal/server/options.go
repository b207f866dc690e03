package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Backend is the service behind every binding. [Over] makes one from a vault.
type Backend interface {
	umphttp.Backend
	umpmcp.Backend
	// Ready fails if the store answers for most owners no longer. Otherwise it names the
	// machines of the store that do not answer.
	Ready(ctx context.Context) (away []string, err error)
}

// Options say what a server serves and within which limits. Backend, Owner and Token are
// required; everything else has a default.
type Options struct {
	Backend Backend
	// Owner is the server's owner: Token admits this owner, and strangers reach this
	// owner's public memory. The backend decides whom else the server admits, see
	// [admitter].
	Owner memory.DID
	Token string // the owner's token, at least 32 characters

	// AllowRemote lets the server listen on an address that other machines can reach.
	AllowRemote bool
	// Hosts are further names of the server, without port, besides those of the loopback
	// interface and the listening address.
	Hosts []string
	// Origins are web origins, such as "https://notes.example", whose pages may call the
	// server. Pages of the server's own host always may.
	Origins []string

	Bundles  Bundles  // how bundles are exchanged
	Contexts Contexts // how contexts are issued

	Agents   aaif.Backend // keeps agents and their states; nil: the server accepts none
	Handoffs Handoffs     // how the server accepts them
	Runs     Runs         // how the server runs agents
	Served   Served       // which of them work for other agents

	Machines Machines // the owners' other machines

	Pages Pages // the owner's pages
	OAuth OAuth // how remote assistants get access

	Release  string // version of the program
	Dotted   bool   // spell MCP tools with dots
	Endpoint string // where the manifest says that the operations are; empty: "/ump"
	// Public lets strangers recall and get the owner's public records. The server also
	// serves them as documents that the manifest names.
	Public bool
	// Exports are further public documents that the manifest points to.
	Exports []umphttp.Export
	// OpenMetrics shows /metrics to everybody who can reach the server; otherwise /metrics
	// needs the owner's token.
	OpenMetrics bool

	// Stateless keeps no MCP sessions, so that any of several servers can answer any
	// request. Clients of MCP revisions before 2026-07-28 then get no news of changed
	// resources and have to look. Changes over /ump/subscribe, and subscriptions/listen of
	// newer revisions, work as before.
	Stateless bool

	// Servers over the same store count Rate, Burst, FailRate and FailBurst together, if
	// the backend can (see [sharedLimiter]). All tokens of an owner other than the server's
	// have eight times as much together.
	Rate      float64 // requests a second for each token, and for each address without one; 0: 50
	Burst     int     // requests at once above the rate; 0: 100
	FailRate  float64 // requests a second with invalid credentials, for each address; 0: 5
	FailBurst int     // such requests at once above the rate; 0: 100

	// Certificate finds the certificate for a connection; nil: no TLS. The server calls it
	// for every connection, from several goroutines.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	MaxConnections int // open at once; 0: 1000
	// MaxConnectionsEach is the most open connections from one address, the loopback
	// interface excepted; 0: 100.
	MaxConnectionsEach int
	MaxBody            int64         // bytes of a request body; 0: 4 MiB
	MaxHeader          int           // bytes of a request's head; 0: 128 KiB
	HeaderTimeout      time.Duration // to send the head of a request; 0: 5 s
	ReadTimeout        time.Duration // to send all of a request; 0: 30 s
	WriteTimeout       time.Duration // to take one piece of the answer; 0: 30 s
	IdleTimeout        time.Duration // between requests on one connection; 0: 2 min
	Grace              time.Duration // for running requests when the server stops; 0: 10 s
	// Drain is how long the server still answers before it stops. Meanwhile /readyz says
	// that it is about to stop, so that clients can choose another server. 0: not at all.
	Drain time.Duration

	Log *slog.Logger // requests and faults, never content or tokens; nil: discarded
	// Metrics returns what the store measures, for /metrics; nil: nothing.
	Metrics   func(context.Context) []metric.Family
	Telemetry *telemetry.Exporter // of traces and metrics; nil: they go nowhere

	exports *ownerTurns    // of all bindings and the pages
	oauth   *oauth.Handler // nil: no remote assistants
}

const minToken = 32

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Backend == nil:
		return o, errors.New("server: there is no backend")
	case o.Owner == "":
		return o, errors.New("server: there is no owner")
	case len(o.Token) < minToken:
		return o, errors.New("server: the owner's token is shorter than 32 characters")
	}
	o.Endpoint = cmp.Or(o.Endpoint, "/ump")
	o.Rate = cmp.Or(o.Rate, 50)
	o.Burst = cmp.Or(o.Burst, 100)
	o.Contexts.Rate = cmp.Or(o.Contexts.Rate, 120)
	o.Runs.Most = cmp.Or(o.Runs.Most, 4)
	o.FailRate = cmp.Or(o.FailRate, 5)
	o.FailBurst = cmp.Or(o.FailBurst, 100)
	o.MaxConnections = cmp.Or(o.MaxConnections, 1000)
	o.MaxConnectionsEach = cmp.Or(o.MaxConnectionsEach, 100)
	o.MaxBody = cmp.Or(o.MaxBody, 4<<20)
	o.MaxHeader = cmp.Or(o.MaxHeader, 128<<10)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, 5*time.Second)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, 30*time.Second)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 30*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 2*time.Minute)
	o.Grace = cmp.Or(o.Grace, 10*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
