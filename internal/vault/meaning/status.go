package meaning

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Status says how many records can be found by meaning.
type Status struct {
	Settings
	Records int // active ones
	Vectors int
}

// Status returns the owner's settings and counts. The second result is false if no server
// is used.
func (s *Service) Status(ctx context.Context, c memory.Caller) (Status, bool, error) {
	settings, on, err := s.Current(ctx, c)
	if err != nil || !on {
		return Status{}, false, err
	}
	out := Status{Settings: settings}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		now, err := settingsIn(r)
		if err != nil {
			return err
		}
		if out.Records, err = r.Count(store.Filter{Statuses: []memory.Status{memory.Active}}); err != nil {
			return err
		}
		m, _, err := s.synced(c.Owner, now, r)
		out.Vectors = m.Len()
		return err
	})
	return out, true, s.kernel.Refusal(c, "embed", "", err)
}

// Warm reads an owner's vectors, so that the first question need not wait for them.
func (s *Service) Warm(ctx context.Context, owner memory.DID) error {
	c, err := s.current(ctx, owner)
	if err != nil || !c.on() {
		return err
	}
	return s.kernel.Store().View(ctx, owner, func(r store.Reader) error {
		_, _, err := s.synced(owner, c, r)
		return err
	})
}
