package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Backend is the service behind every binding. [Over] makes one of a vault.
type Backend interface {
	umphttp.Backend
	umpmcp.Backend
	// Ready fails when the store does not answer.
	Ready(ctx context.Context) error
}

// Options say what a server serves and how much it puts up with. Backend, Owner
// and Token are required; everything else has a default.
type Options struct {
	Backend Backend
	// Owner is whose server this is: whom Token lets in, and whose public memory
	// strangers reach. Whoever else is let in is the backend's to say, see [Admitter].
	Owner memory.DID
	Token string // the owner's token, at least 32 characters

	// AllowRemote lets the server listen on an address that other machines reach.
	AllowRemote bool
	// Hosts are names the server goes by besides those of the loopback interface
	// and the address it listens on, without port.
	Hosts []string
	// Origins are web origins, such as "https://notes.example", whose pages may
	// call the server. Pages of the server's own host always may.
	Origins []string

	Bundles  Bundles  // how bundles are exchanged
	Contexts Contexts // how contexts are issued

	Agents   aaif.Backend // keeps agents and their states; nil: none come in here
	Handoffs Handoffs     // how they come in

	Release  string // version of the program
	Dotted   bool   // spell MCP tools with dots
	Endpoint string // where the manifest says the operations are; empty: "/ump"
	// Public lets strangers recall and get the owner's public records, and serves
	// these as documents that the manifest names.
	Public bool
	// Exports are further public documents the manifest points at.
	Exports []umphttp.Export
	// OpenMetrics shows /metrics to all who can reach the server; otherwise it
	// needs the owner's token.
	OpenMetrics bool

	// Stateless keeps no sessions of MCP, so that any of several servers answers any
	// request. Clients of its revisions before 2026-07-28 are then not told that
	// resources have changed, and have to look; changes over /ump/subscribe, and
	// subscriptions/listen of newer revisions, are told as ever.
	Stateless bool

	// Rate and Burst are counted together with other servers over the same store,
	// where the backend can (see [Shared]), and so are FailRate and FailBurst. All
	// tokens of an owner whose server this is not have eight times as much together.
	Rate      float64 // requests a second for each token, and for each address without one; 0: 50
	Burst     int     // requests at once above the rate; 0: 100
	FailRate  float64 // requests a second with credentials that open nothing, for each address; 0: 5
	FailBurst int     // such requests at once above the rate; 0: 100

	// Certificate finds the certificate for a connection; nil: no TLS. It is asked
	// for every connection and may be called concurrently.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	MaxConnections int // open at once; 0: 1000
	// MaxConnectionsEach is the most that are open at once from one address, the
	// loopback interface excepted; 0: 100.
	MaxConnectionsEach int
	MaxBody            int64         // bytes of a request body; 0: 4 MiB
	MaxHeader          int           // bytes of a request's head; 0: 128 KiB
	HeaderTimeout      time.Duration // to send the head of a request; 0: 5 s
	ReadTimeout        time.Duration // to send all of a request; 0: 30 s
	WriteTimeout       time.Duration // to take one piece of the answer; 0: 30 s
	IdleTimeout        time.Duration // between requests on one connection; 0: 2 min
	Grace              time.Duration // for requests under way when the server stops; 0: 10 s
	// Drain is how long, before it stops, the server answers as ever while /readyz
	// says that it will not, so that whoever sends it requests may choose another; 0:
	// not at all.
	Drain time.Duration

	Log *slog.Logger // access and faults, never content or tokens; nil: dropped
}

const minToken = 32

func (o Options) filled() (Options, error) {
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
