package machines

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// answering answers the machines of every owner of a store.
type answering struct {
	app  *cli.App
	open *cli.Session

	mu     sync.Mutex
	fleets map[memory.DID]*fleet
}

// Served returns what a server needs to answer the owners' other machines.
func Served(a *cli.App, o *cli.Session) server.Machines {
	s := &answering{app: a, open: o, fleets: map[memory.DID]*fleet{}}
	return server.Machines{Answer: s.answer, Pairing: func() string { return cli.RunningPairing(o.Home) }, Fleet: s.fleet}
}

// fleet tells the pages an owner's machines.
func (s *answering) fleet(ctx context.Context, c memory.Caller) (told pages.Fleet, err error) {
	known, err := readState(s.open.Home)
	if err != nil {
		return told, err
	}
	all, err := overviewOf(s.app, ctx, s.open, c.Owner)
	if err != nil {
		return told, err
	}
	for _, m := range all {
		one := pages.Machine{Name: m.Name, This: m.State == "this", Removed: m.State == "removed", Asks: m.State == "asks", Lacks: m.Lacks}
		if met, err := time.Parse(time.RFC3339Nano, m.Met); err == nil {
			one.Met = met
		}
		told.Machines = append(told.Machines, one)
	}
	for _, r := range known.of(c.Owner).Remotes {
		told.Places = append(told.Places, pages.Place{Name: r.Name, Address: r.Address, Met: r.Met, Failed: r.Failed})
	}
	return told, nil
}

// answer answers a pack.
func (s *answering) answer(ctx context.Context, owner memory.DID, pack []byte) ([]byte, error) {
	f, err := s.fleetOf(ctx, owner)
	if err != nil {
		return nil, err
	}
	h, err := f.host()
	if err != nil {
		return nil, err
	}
	a, err := h.Answer(ctx, pack)
	if errors.Is(err, replica.ErrBusy) {
		err = &memory.Error{Kind: memory.RateLimited, Op: "sync", Message: err.Error()}
	}
	return a.Sealed, err
}

// fleetOf returns this machine among an owner's.
func (s *answering) fleetOf(ctx context.Context, owner memory.DID) (*fleet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.fleets[owner]; f != nil {
		return f, nil
	}
	f, err := enterFor(s.app, ctx, s.open, owner, false)
	if errors.Is(err, errNoMachine) || memory.KindOf(err) == memory.NotFound {
		return nil, &memory.Error{Kind: memory.NotFound, Op: "sync", Message: "this owner has no machines here; satchel pair adds one"}
	}
	if err != nil {
		return nil, err
	}
	if len(s.fleets) < mostFleets {
		s.fleets[owner] = f
	}
	return f, nil
}

// mostFleets is how many owners' machines are remembered.
const mostFleets = 1000
