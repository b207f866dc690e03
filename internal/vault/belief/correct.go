package belief

import (
	"context"
	"crypto/rand"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

var _ engram.Owner = (*Service)(nil)

// The confidence of a belief that the owner stated or approved (decision E-42).
const (
	statedConfidence   = 1.0
	approvedConfidence = 0.95
)

// Correct gives a belief another value by the owner's word. The correction, the
// evolution and the belief change in one transaction (ENGRAM-3.6-11). Stating the
// present value confirms the belief.
func (s *Service) Correct(ctx context.Context, c memory.Caller, belief, value, note string) (engram.Belief, error) {
	if err := checkText("value", value); err != nil {
		return engram.Belief{}, err
	}
	vault.MaskTexts(c, &value, &note)
	return s.onBelief(ctx, c, "correct", belief, func(g beliefTx, b beliefRecords) (beliefRecords, error) {
		return g.override(b, valueChange{
			value: value, method: engram.Explicit, trigger: engram.UserCorrection, note: note, confidence: statedConfidence,
		})
	})
}

// onBelief changes one of the owner's beliefs in one transaction and returns the result.
func (s *Service) onBelief(ctx context.Context, c memory.Caller, op, id string, do func(beliefTx, beliefRecords) (beliefRecords, error)) (engram.Belief, error) {
	var done beliefRecords
	err := s.governFound(ctx, c, op, s.kernel.Store().Update, s.loadBeliefs(id), func(g beliefTx) error {
		b, err := g.belief(id)
		if err == nil {
			done, err = do(g, b)
		}
		return err
	})
	return done.Belief, err
}

// govern runs an act that only the owner may do, in one transaction on all beliefs.
func (s *Service) govern(ctx context.Context, c memory.Caller, op string, update vault.UpdateFunc, act func(beliefTx) error) error {
	return s.governFound(ctx, c, op, update, s.loadAll, act)
}

// governFound is govern for an act that needs only the beliefs that find reads.
func (s *Service) governFound(ctx context.Context, c memory.Caller, op string, update vault.UpdateFunc, find txLoader, act func(beliefTx) error) error {
	if err := s.kernel.MayWrite(op, c); err != nil {
		return err
	}
	if err := s.kernel.MayOwn(op, c); err != nil {
		return err
	}
	err := update(ctx, c.Owner, func(w store.Writer) error {
		g, err := find(ctx, w, c)
		if err != nil {
			return err
		}
		g.undo = vault.UndoNameOf(ctx)
		return act(g)
	})
	return s.kernel.Refusal(c, op, "", err)
}

func (s *Service) loadAll(ctx context.Context, w store.Writer, c memory.Caller) (beliefTx, error) {
	now := vault.Instant(s.kernel.Now())
	h, err := s.loadSet(ctx, w, c, now)
	return beliefTx{beliefSet: h, w: w, caller: c}, err
}

// valueChange is the new value of a belief, and why it changes.
type valueChange struct {
	value         string
	method        engram.Method
	trigger       engram.Trigger
	context, note string
	confidence    float64   // at least
	candidate     memory.ID // the proposal that is confirmed; empty: there is none
}

// override writes the version with the new value and its audit trail, at one instant
// (decision E-28). It puts an archived belief in force again. An unchanged value adds no
// evolution.
func (g beliefTx) override(b beliefRecords, o valueChange) (beliefRecords, error) {
	s := nextVersion{belief: b.Belief, derived: o.candidate}
	s.belief.Status, s.belief.LastConfirmed = engram.Active, g.now
	s.belief.Confidence = max(b.Confidence, o.confidence)
	if b.Text == o.value && o.candidate == "" {
		return g.succeed(b, s)
	}
	change, correction, err := g.changeEntries(b, o)
	if err != nil {
		return b, err
	}
	s.by = []engram.Correction{correction}
	if b.Text != o.value {
		s.change = change
		s.belief.Text, s.belief.Source = o.value, engram.Corrected
	}
	if b, err = g.succeed(b, s); err != nil {
		return b, err
	}
	mark := vault.UndoMark{Act: vault.UndoRevise, Record: b.current().ID}
	if o.candidate != "" {
		mark.Act, mark.Proposal = vault.UndoConfirm, o.candidate
	}
	if err := vault.MarkUndo(g.w, g.undoName(), mark, g.now); err != nil {
		return b, err
	}
	return b, g.vault.kernel.Note(g.w, g.caller, audit.Entry{Act: audit.Correct, Reason: string(o.method)}, b.current().ID)
}

// changeEntries returns the evolution and correction entries of a change. Both have the
// same belief, values and instant.
func (g beliefTx) changeEntries(b beliefRecords, o valueChange) (engram.Change, engram.Correction, error) {
	change, err := engram.NewID(rand.Reader)
	if err != nil {
		return engram.Change{}, engram.Correction{}, err
	}
	correction, err := engram.NewID(rand.Reader)
	return engram.Change{
			ID: change, Belief: b.ID, Old: b.Text, New: o.value, ChangedAt: g.now,
			Trigger: o.trigger, Context: o.context, Note: o.note,
		}, engram.Correction{
			ID: correction, Belief: b.ID, By: engram.ByUser, CorrectedAt: g.now,
			Old: b.Text, New: o.value, Method: o.method, Note: o.note,
		}, err
}
