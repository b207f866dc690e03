package machines

import (
	"context"
	"errors"
	"sync"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// machineServer answers the other machines of all owners of a store.
type machineServer struct {
	app     *cli.App
	session *cli.Session

	mu       sync.Mutex
	machines map[memory.DID]*thisMachine
}

// Serve returns the functions by which satchel serve answers the owners' other machines.
func Serve(a *cli.App, o *cli.Session) server.Machines {
	s := &machineServer{app: a, session: o, machines: map[memory.DID]*thisMachine{}}
	return server.Machines{Answer: s.answer, Pairing: func() string { return cli.RunningPairing(o.Home) }, Fleet: s.fleet}
}

// fleet returns an owner's machines and remotes for the pages.
func (s *machineServer) fleet(ctx context.Context, c memory.Caller) (f pages.Fleet, err error) {
	known, err := readState(s.session.Home)
	if err != nil {
		return f, err
	}
	all, err := allMachines(s.app, ctx, s.session, c.Owner)
	if err != nil {
		return f, err
	}
	for _, m := range all {
		f.Machines = append(f.Machines, pages.Machine{Name: m.Name, This: m.State == "this", Removed: m.State == "removed",
			Asks: m.State == "asks", Lacks: m.Lacks, Met: m.Met})
	}
	for _, r := range known.of(c.Owner).Remotes {
		f.Remotes = append(f.Remotes, pages.Remote{Name: r.Name, Address: r.Address, Met: r.Met, Failed: r.Failed})
	}
	return f, nil
}

// answer answers the pack of another machine, see [server.Machines].
func (s *machineServer) answer(ctx context.Context, owner memory.DID, pack []byte) ([]byte, error) {
	t, err := s.machineOf(ctx, owner)
	if err != nil {
		return nil, err
	}
	h, err := t.host()
	if err != nil {
		return nil, err
	}
	a, err := h.Answer(ctx, pack)
	if errors.Is(err, replica.ErrBusy) {
		err = &memory.Error{Kind: memory.RateLimited, Op: "sync", Message: err.Error()}
	}
	return a.Sealed, err
}

// machineOf returns this machine as one of an owner's. It opens the machine once.
func (s *machineServer) machineOf(ctx context.Context, owner memory.DID) (*thisMachine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.machines[owner]; t != nil {
		return t, nil
	}
	t, err := openThisMachineOf(s.app, ctx, s.session, owner, false)
	if errors.Is(err, errNoMachine) || memory.KindOf(err) == memory.NotFound {
		return nil, &memory.Error{Kind: memory.NotFound, Op: "sync", Message: "this owner has no machines here; satchel pair adds one"}
	}
	if err != nil {
		return nil, err
	}
	if len(s.machines) < mostOwners {
		s.machines[owner] = t
	}
	return t, nil
}

// mostOwners is for how many owners machineServer keeps the machine open.
const mostOwners = 1000
