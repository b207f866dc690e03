package belief

import (
	"context"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ConfirmRevised confirms the proposal prior with the value of its revision, on behalf
// of actor, exactly like [Service.Resolve]. So every format reports the same. The second
// result is false where prior is about no belief that is here.
func (s *Service) ConfirmRevised(ctx context.Context, w store.Writer, c memory.Caller, prior, next memory.Record, actor string) (memory.RevisionResult, bool, error) {
	g := s.emptyTx(w, c)
	g.actor, g.undo = actor, vault.UndoNameOf(ctx)
	root, err := g.contradictedLineage(prior)
	if root == "" || err != nil {
		return memory.RevisionResult{}, false, err
	}
	if err := g.take(ctx, root); err != nil {
		return memory.RevisionResult{}, false, err
	}
	for _, b := range g.index.beliefs {
		if !slices.ContainsFunc(b.lineage.Proposals, func(p memory.Record) bool { return p.ID == prior.ID }) {
			continue
		}
		k, err := g.proposedBy(b, prior)
		if err != nil {
			return memory.RevisionResult{}, false, err
		}
		if next.Body.Text != prior.Body.Text {
			k.New = strings.TrimPrefix(next.Body.Text, b.Key+": ")
		}
		b, err = g.approve(b, k, "")
		return memory.RevisionResult{ID: b.current().ID, Supersedes: b.current().Supersedes}, true, err
	}
	return memory.RevisionResult{}, false, nil
}
