package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/memory"
)

// Handoffs say how the server accepts agents and their states (AAIF 7 and 8) if
// [Options.Agents] is set.
type Handoffs struct {
	// Local lets programs of this machine exchange states without TLS: for tests, and
	// behind a proxy on this machine that speaks TLS.
	Local    bool
	MaxAgent int64 // bytes of a definition; 0: 1 MiB
	MaxState int64 // bytes of a state; 0: 4 MiB
}

// maxLandings is how many states the server receives at once, and maxLandingsEach how many
// from one address, the loopback interface excepted. It holds each in memory.
const (
	maxLandings     = 8
	maxLandingsEach = 2
)

// newAgentHandler returns the AAIF binding, or nil if Options.Agents is nil. A state
// arrives for the server's owner, who is asked in person. The sender has only a migration
// token: the binding verifies it before it keeps anything, and the token opens nothing
// else. ending ends when the server is about to stop.
func newAgentHandler(o Options, ending context.Context) *aaifhttp.Handler {
	if o.Agents == nil {
		return nil
	}
	backend, runs, started := o.Agents, aaifhttp.Runs(nil), aaifhttp.Triggers(nil)
	if o.Runs.Host != nil {
		runs, backend = hostedRuns{o.Runs, ending}, arrivalRunner{backend, o}
		started = triggers{host.NewStarter(o.Runs.Host), memory.Caller{Owner: o.Owner, Role: memory.Owner}, time.Now}
	}
	return aaifhttp.New(backend, aaifhttp.Options{
		Runs: runs, Triggers: started,
		BaseOptions: o.baseOptions(authenticate), Recipient: memory.Caller{Owner: o.Owner, Role: memory.Owner, Session: "migration"},
		Local: o.Handoffs.Local, MaxAgent: o.Handoffs.MaxAgent, MaxState: o.Handoffs.MaxState, Patience: o.ReadTimeout,
		Slots: requestSlots(newSlotPool(maxLandings, maxLandingsEach)),
	})
}

// isAgentPath reports whether a path belongs to the AAIF binding.
func isAgentPath(path string) bool {
	return path == "/aaif" || strings.HasPrefix(path, "/aaif/") || strings.HasPrefix(path, "/.well-known/aaif-")
}

// mountAgents routes the agents' paths to the binding, if there is one.
func (s *server) mountAgents(mux *http.ServeMux) {
	if s.aaif == nil {
		return
	}
	mux.Handle("/aaif/", s.aaif)
	for _, path := range aaifhttp.Paths() {
		mux.Handle(path, s.aaif)
	}
}
