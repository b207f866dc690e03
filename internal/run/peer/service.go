package peer

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Options say which agents are served. All but Open are required.
type Options struct {
	Host   *host.Host
	Agents *agents.Service
	Owner  memory.DID // the owner of the agents
	Served []string   // their ids; the first is the one of the host's own card
	URL    string     // the address of the server, without a slash at its end
	Ending context.Context
	Open   int // the most tasks of one peer that have not ended; 0: 20
}

// Service serves the agents of one owner. It is safe for concurrent use.
type Service struct {
	opt Options

	mu      sync.Mutex
	origins map[string]origin // by id of the run

	beginning [places]sync.Mutex // by caller
}

const (
	usualOpen   = 20
	mostOrigins = 10_000 // that are kept in memory
	places      = 16     // in which messages begin tasks at the same time
)

// New returns a Service. It fails if an id of an agent cannot stand in an address.
func New(o Options) (*Service, error) {
	if o.Open <= 0 {
		o.Open = usualOpen
	}
	o.Served = slices.Clone(o.Served)
	for i, id := range o.Served {
		o.Served[i] = agents.IDOf(id)
		if id == "" || url.PathEscape(o.Served[i]) != o.Served[i] || strings.HasPrefix(id, ".") {
			return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "the agent " + aaif.Shown(id) + " cannot be served: its id cannot stand in an address"}
		}
	}
	return &Service{opt: o, origins: map[string]origin{}}, nil
}

// served returns the id of a served agent; "" stands for the first.
func (s *Service) served(agent string) (string, error) {
	if agent == "" && len(s.opt.Served) > 0 {
		return s.opt.Served[0], nil
	}
	if id := agents.IDOf(agent); slices.Contains(s.opt.Served, id) {
		return id, nil
	}
	return "", &memory.Error{Kind: memory.NotFound, Message: "no such agent is served here"}
}

// owner is the caller of whatever is done for peers.
func (s *Service) owner() memory.Caller {
	return memory.Caller{Owner: s.opt.Owner, Role: memory.Owner}
}

// Card returns the public card of a served agent, or of the first one if agent is empty.
func (s *Service) Card(ctx context.Context, agent string) (canon.Value, error) {
	id, err := s.served(agent)
	if err != nil {
		return canon.Value{}, err
	}
	kept, err := s.opt.Agents.Agent(ctx, s.owner(), id, 0)
	if err != nil {
		return canon.Value{}, err
	}
	return a2a.Served(aaif.ReadDefinition(kept.Document), a2a.Options{URL: s.opt.URL + "/a2a/" + id})
}

// May refuses callers who may not work with a served agent: all but the owner, the owner's own
// programs, and the bearers of tokens for this very agent that grant derive. What an agent
// makes, it makes from what its owner has: that is what derive means (UMP 5.2).
func (s *Service) May(_ context.Context, c memory.Caller, agent string) error {
	id, err := s.served(agent)
	switch {
	case err != nil:
		return err
	case c.Owner == s.opt.Owner && c.Grant == nil && c.Role >= memory.Agent:
		return nil
	case c.Owner == s.opt.Owner && c.Role == memory.Peer && s.grants(c.Grant, id):
		return nil
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Rule: "UMP-5.2-1",
		Message: "the token does not let its bearer work with this agent: ask the owner for one with derive, for this agent and for every project"}
}

func (s *Service) grants(g *memory.Grant, id string) bool {
	if g == nil || g.Runtime != nil || !g.Allows(memory.DeriveVerb) {
		return false
	}
	rest := g.Scope
	rest.Agent, rest.Visibility = "", ""
	return agents.IDOf(g.Scope.Agent) == id && rest == memory.Scope{} && g.EveryProject()
}

// markOf names a caller among those who begin tasks: each token is one, and the owner is one.
func markOf(c memory.Caller) string {
	if c.Grant != nil {
		return vault.TokenSession + c.Grant.ID
	}
	if strings.HasPrefix(c.Session, vault.TokenSession) {
		return c.Session
	}
	return "owner"
}

// acting is the owner, as whom something is done for a caller: the audit log names the caller.
func (s *Service) acting(c memory.Caller) memory.Caller {
	me := s.owner()
	if mark := markOf(c); strings.HasPrefix(mark, vault.TokenSession) {
		me.Session = mark
	}
	return me
}
