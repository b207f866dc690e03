package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/a2ahttp"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run/peer"
)

// Served says which agents other agents may work with by A2A. It needs [Options.Agents] and
// [Runs.Host].
type Served struct {
	Agents []string // ids of kept agents of the server's owner; nil: none
	URL    string   // the server's address for others, without a slash at its end
	Keeper *agents.Service
	Open   int // the most tasks of one peer that have not ended; 0: 20
}

// maxWaits is how many requests of peers wait or stream at once, and maxWaitsEach how many
// from one address, the loopback interface excepted.
const (
	maxWaits     = 256
	maxWaitsEach = 32
)

// newPeerHandler returns the A2A binding, or nil if no agent is served. ending ends when the
// server is about to stop.
func newPeerHandler(o Options, ending context.Context) (*a2ahttp.Handler, error) {
	if len(o.Served.Agents) == 0 {
		return nil, nil
	}
	if o.Runs.Host == nil || o.Served.Keeper == nil {
		return nil, errors.New("server: agents are served that do not run here")
	}
	s, err := peer.New(peer.Options{
		Host: o.Runs.Host, Agents: o.Served.Keeper, Owner: o.Owner, Served: o.Served.Agents, URL: o.Served.URL, Ending: ending, Open: o.Served.Open,
	})
	if err != nil {
		return nil, err
	}
	return a2ahttp.New(s, a2ahttp.Options{BaseOptions: o.baseOptions(authenticate), Patience: o.ReadTimeout, Slots: requestSlots(newSlotPool(maxWaits, maxWaitsEach))}), nil
}

// mountPeers routes the paths of peers to the binding, if there is one.
func (s *server) mountPeers(mux *http.ServeMux) {
	if s.a2a != nil {
		mux.Handle(a2ahttp.AgentPath, s.a2a)
		mux.Handle(strings.TrimSuffix(a2ahttp.AgentPath, "/"), s.a2a)
		mux.Handle(a2a.CardPath, s.a2a)
	}
}
