package machines

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/memory"
)

// sight is what this machine knows of another one.
type sight struct {
	met   time.Time // zero: it was never heard from
	lacks string    // no, yes or unknown: whether it lacks something that happened here
}

// sightOf looks at what every remote tells of a machine.
func (f *fleet) sightOf(ctx context.Context, id memory.DID, remotes []remote) (s sight, err error) {
	k, err := peer.Read(ctx, f.memory, id)
	if err != nil {
		return s, err
	}
	s.met, s.lacks = k.Met, "unknown"
	if !k.Met.IsZero() {
		if s.lacks, err = f.lacks(ctx, peer.Remote(id), k.Has); err != nil {
			return s, err
		}
	}
	for _, r := range remotes {
		if isPeer(r.Address) {
			continue
		}
		known, err := f.folderKnown(ctx, r)
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
			told, err := f.lacks(ctx, r.known(), o.Has)
			if err != nil {
				return s, err
			}
			if s.lacks != "no" { // a machine that has all by one way has all
				s.lacks = told
			}
		}
	}
	return s, nil
}

// lacks tells whether something came after a place that did not come over a remote.
func (f *fleet) lacks(ctx context.Context, remote string, has replica.Position) (string, error) {
	items, _, _, err := f.memory.Since(ctx, remote, has, 1)
	if len(items) > 0 {
		return "yes", err
	}
	return "no", err
}

// folderKnown is what is known about a folder.
func (f *fleet) folderKnown(ctx context.Context, r remote) (folder.Known, error) {
	stored, err := f.memory.Remote(ctx, r.known())
	if err != nil {
		return folder.Known{}, err
	}
	return folder.Read(stored)
}
