package server

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/memory"
)

// Handoffs say how agents and their states come in (AAIF 7 and 8), where there is
// somebody to keep them, see [Options.Agents].
type Handoffs struct {
	// Local lets states come and go without TLS between programs of this machine: for
	// tests, and behind a proxy on it that speaks TLS.
	Local    bool
	MaxAgent int64 // bytes of a definition; 0: 1 MiB
	MaxState int64 // bytes of a state; 0: 4 MiB
}

// maxLandings is how many states come in at once, and maxLandingsEach how many of them
// from one address, the loopback interface excepted. Each is held in memory.
const (
	maxLandings     = 8
	maxLandingsEach = 2
)

// agentsOver returns the binding over who keeps agents, nil where nobody does. A state
// comes for the owner whose server this is, who is asked for it in person: whoever brings
// one has nothing but a migration token, which is verified before anything is kept, and
// reaches nothing else.
func agentsOver(o Options) *aaifhttp.Handler {
	if o.Agents == nil {
		return nil
	}
	return aaifhttp.New(o.Agents, aaifhttp.Options{
		BaseOptions: o.door(authenticate), Recipient: memory.Caller{Owner: o.Owner, Role: memory.Owner, Session: "migration"},
		Local: o.Handoffs.Local, MaxAgent: o.Handoffs.MaxAgent, MaxState: o.Handoffs.MaxState, Patience: o.ReadTimeout,
		Slots: placesOf(newRoom(maxLandings, maxLandingsEach)),
	})
}

// ofAgents reports whether a path is one of the AAIF binding.
func ofAgents(path string) bool {
	return path == "/aaif" || strings.HasPrefix(path, "/aaif/") || strings.HasPrefix(path, "/.well-known/aaif-")
}

// landsAt lets the routes of agents lead to the binding, where there is one.
func (s *Server) landsAt(mux *http.ServeMux) {
	if s.aaif == nil {
		return
	}
	mux.Handle("/aaif/", s.aaif)
	for _, path := range aaifhttp.Paths() {
		mux.Handle(path, s.aaif)
	}
}
