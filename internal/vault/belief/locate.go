package belief

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// located finds beliefs before a transaction begins, so that nobody waits while it reads
// all of them. It does not read them again while nothing changes: a proposer may ask for
// unknown ids as often as its rate allows. The result loads the beliefs inside the
// transaction.
func (s *Service) located(ctx context.Context, c memory.Caller, ids ...string) (txLoader, error) {
	erasures, err := s.kernel.Erasures(ctx, c.Owner)
	if err != nil {
		return nil, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		state, err := stateOf(r, "", erasures)
		now := vault.Instant(s.kernel.Now())
		known := func(id string) bool { return len(s.places.of(c.Owner, id)) > 0 }
		if err != nil || !slices.ContainsFunc(ids, func(id string) bool { return !known(id) && !s.places.lacks(c.Owner, id, state, now) }) {
			return err
		}
		epoch := s.places.begin()
		h, err := s.loadSet(ctx, r, c, now)
		if err == nil {
			s.places.settle(c.Owner, h.all.edge(state, now), epoch)
		}
		return err
	})
	return s.loadSome(ids, func(g beliefTx, id string) (bool, error) {
		s.places.drop(c.Owner, id) // it has moved
		state, err := stateOf(g.rows, "", erasures)
		return err == nil && s.places.lacks(c.Owner, id, state, g.now), err
	}), err
}
