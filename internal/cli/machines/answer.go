package machines

import (
	"context"
	"errors"
	"sync"

	"github.com/satchel-memory/satchel/internal/cli"
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
	return server.Machines{Answer: s.answer, Pairing: func() string { return cli.RunningPairing(o.Home) }}
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
