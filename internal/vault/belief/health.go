package belief

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Beliefs about health are kept by explicit choice alone (ENGRAM-3.4-30). What the person
// said is chosen; what somebody else concluded waits for the owner.

// ByChoice lets wait for the owner what somebody else concluded about the owner's health.
// inherited is the category of what the record replaces.
func (s *Service) ByChoice(rec memory.Record, c memory.Caller, inherited engram.Category) memory.Record {
	if concludes(rec, c, inherited) {
		rec.Lifecycle.Status = memory.Candidate
	}
	return rec
}

// concludes reports whether a record would hold at once as a belief about health that the
// person did not choose, or in the place of one, whatever category it gives it then.
func concludes(rec memory.Record, c memory.Caller, inherited engram.Category) bool {
	health := inherited == engram.Health || statedCategory(rec) == engram.Health
	said := rec.Provenance != nil && rec.Provenance.ActorKind == memory.ByUser
	return health && !said && c.Role != memory.Owner && rec.Lifecycle.Status.Or() == memory.Active
}

// MayConclude refuses a revision by which somebody else than the owner makes a belief one
// about health, or has one say something else. There is no candidate of a revision: what
// it replaces ends.
func (s *Service) MayConclude(r store.Reader, c memory.Caller, lineage memory.ID, prior, next memory.Record) error {
	if c.Role == memory.Owner {
		return nil
	}
	was, err := s.categoryOf(r, c.Owner, lineage)
	if err != nil || !concludes(next, c, was) {
		return err
	}
	if was == engram.Health && prior.Body.Text == next.Body.Text && statesTheSame(prior, next) {
		return nil
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Op: "revise", Rule: "ENGRAM-3.4-30",
		Message: "beliefs about health are the owner's to state: remember it as a memory of its own, which waits for the owner, or say in provenance that the owner said so"}
}

// statesTheSame reports whether two records state the same of a belief, besides their text.
func statesTheSame(a, b memory.Record) bool {
	was, _ := codec.Residue(a, engram.Name)
	is, _ := codec.Residue(b, engram.Name)
	return canon.Equal(was.Get("belief"), is.Get("belief"))
}

// ReplacedCategory is the category of what a record replaces: the last that was stated;
// empty: none was.
func (s *Service) ReplacedCategory(ctx context.Context, c memory.Caller, rec memory.Record) (was engram.Category, err error) {
	if c.Role == memory.Owner || len(rec.Supersedes) == 0 {
		return "", nil
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		for _, id := range rec.Supersedes {
			row, err := r.Row(id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err == nil {
				was, err = s.categoryOf(r, c.Owner, row.Columns.Lineage)
			}
			if was == engram.Health || err != nil {
				return err
			}
		}
		return nil
	})
	return was, err
}

// categoryOf is the category that the versions of a lineage give the next: the last that
// was stated; empty: none was.
func (b *beliefs) categoryOf(r store.Reader, owner memory.DID, lineage memory.ID) (engram.Category, error) {
	all, err := b.gatherOne(r, owner, lineage)
	if err != nil || all.by[lineage] == nil {
		return "", err
	}
	for _, ver := range slices.Backward(all.by[lineage].versions) {
		if stated := statedCategory(*ver.whole()); stated != "" {
			return stated, nil
		}
	}
	return "", nil
}
