package machines

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/memory"
)

// machineStatus is what this machine knows of another one.
type machineStatus struct {
	met   time.Time // when this machine last heard from it; zero: never
	lacks string    // whether it lacks items of this machine: no, yes or unknown
}

// statusOf returns the status of a machine. It knows from exchanges with the machine itself, and
// from the heads in folders.
func (t *thisMachine) statusOf(ctx context.Context, id memory.DID, remotes []remote) (s machineStatus, err error) {
	k, err := peer.ReadKnown(ctx, t.memory, id)
	if err != nil {
		return s, err
	}
	s.met, s.lacks = k.Met, "unknown"
	if !k.Met.IsZero() {
		if s.lacks, err = t.lacks(ctx, peer.RemoteName(id), k.Has); err != nil {
			return s, err
		}
	}
	for _, r := range remotes {
		if isPeer(r.Address) {
			continue
		}
		known, err := t.folderKnown(ctx, r)
		if err != nil {
			return s, err
		}
		for _, o := range known.Others {
			if o.ID != id {
				continue
			}
			if known.Met.After(s.met) {
				s.met = known.Met
			}
			lacks, err := t.lacks(ctx, r.storedName(), o.Has)
			if err != nil {
				return s, err
			}
			if s.lacks != "no" { // a machine that has all items by one remote has all
				s.lacks = lacks
			}
		}
	}
	return s, nil
}

// lacks returns yes if items follow a place in this machine's stream that did not come from a
// remote, otherwise no.
func (t *thisMachine) lacks(ctx context.Context, remote string, has replica.Position) (string, error) {
	lacks, err := t.memory.Lacks(ctx, remote, has)
	return map[bool]string{true: "yes", false: "no"}[lacks], err
}

// folderKnown returns what this machine knows about a folder.
func (t *thisMachine) folderKnown(ctx context.Context, r remote) (folder.Known, error) {
	stored, err := t.memory.Remote(ctx, r.storedName())
	if err != nil {
		return folder.Known{}, err
	}
	return folder.ParseKnown(stored)
}
