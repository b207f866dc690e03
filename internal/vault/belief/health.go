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

// Beliefs about health need an explicit choice (ENGRAM-3.4-30). The person's own
// statement is a choice; a conclusion of somebody else waits for the owner.

// ByChoice turns somebody else's conclusion about the owner's health into a candidate.
// inherited is the category of the record that rec replaces.
func (s *Service) ByChoice(rec memory.Record, c memory.Caller, inherited engram.Category) memory.Record {
	if concludes(rec, c, inherited) {
		rec.Lifecycle.Status = memory.Candidate
	}
	return rec
}

// concludes reports whether a record would be in force at once as a belief about health
// that the person did not choose. It also reports a replacement of such a belief,
// whatever category the record gives it.
func concludes(rec memory.Record, c memory.Caller, inherited engram.Category) bool {
	health := inherited == engram.Health || statedCategory(rec) == engram.Health
	said := rec.Provenance != nil && rec.Provenance.ActorKind == memory.ByUser
	return health && !said && c.Role != memory.Owner && rec.Lifecycle.Status.Or() == memory.Active
}

// MayConclude refuses a revision by which anybody but the owner turns a belief into one
// about health, or changes one about health. A revision cannot become a candidate,
// because it ends the record it replaces.
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

// statesTheSame reports whether two records state the same belief, apart from their
// text.
func statesTheSame(a, b memory.Record) bool {
	was, _ := codec.Residue(a, engram.Name)
	is, _ := codec.Residue(b, engram.Name)
	return canon.Equal(was.Get("belief"), is.Get("belief"))
}

// ReplacedCategory returns the last stated category of the records that rec replaces;
// empty: none.
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

// categoryOf returns the category that a lineage passes to its next version: the last
// stated one; empty: none.
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
