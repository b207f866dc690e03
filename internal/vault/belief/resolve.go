package belief

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Corrections lists the corrections of the owner's beliefs, oldest first: all, or only
// the waiting proposals. Deleted beliefs have none.
func (s *Service) Corrections(ctx context.Context, c memory.Caller, waiting bool) ([]engram.Case, error) {
	const op = "corrections"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	var all []engram.Case
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		h, err := s.correctionSet(ctx, r, c, waiting)
		if err != nil {
			return err
		}
		for _, b := range h.index.beliefs {
			for _, k := range b.Corrections {
				if !waiting || k.Status == engram.Pending {
					all = append(all, b.asCase(k))
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b engram.Case) int {
		return cmp.Or(a.CorrectedAt.Compare(b.CorrectedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// correctionSet reads all beliefs, or only those with a waiting correction.
func (s *Service) correctionSet(ctx context.Context, r store.Reader, c memory.Caller, waiting bool) (beliefSet, error) {
	now := vault.Instant(s.kernel.Now())
	if !waiting {
		return s.loadSet(ctx, r, c, now)
	}
	h := s.emptySet(r, c, now)
	return h, h.takeWaiting(ctx)
}

// Resolve confirms or rejects a proposal, once; only the owner may. Confirming gives the
// belief the proposed value in place of its present one; rejecting leaves the belief as
// it is. Either way the proposal stays in the audit trail.
func (s *Service) Resolve(ctx context.Context, c memory.Caller, correction string, confirm bool, note string) (engram.Case, error) {
	return s.resolve(ctx, c, correction, confirm, "", note)
}

// ConfirmAs confirms a proposal with another value than the proposed one, as
// [Service.Resolve] does.
func (s *Service) ConfirmAs(ctx context.Context, c memory.Caller, correction, value, note string) (engram.Case, error) {
	if err := checkText("value", value); err != nil {
		return engram.Case{}, err
	}
	return s.resolve(ctx, c, correction, true, value, note)
}

// resolve decides a proposal; an empty value means the proposed one.
func (s *Service) resolve(ctx context.Context, c memory.Caller, correction string, confirm bool, value, note string) (engram.Case, error) {
	vault.MaskTexts(c, &value, &note)
	update := s.kernel.Store().Update
	if !confirm {
		update = s.kernel.Lessen
	}
	var done engram.Case
	err := s.governFound(ctx, c, "resolve", update, s.loadCorrection(correction), func(g beliefTx) error {
		b, k, err := g.proposed(correction)
		if value != "" {
			k.New = value
		}
		if err == nil && confirm {
			b, err = g.approve(b, k, note)
		} else if err == nil {
			b, err = g.settle(b, k, engram.Rejected, note)
		}
		if err != nil {
			return err
		}
		k, err = b.correction(correction)
		done = b.asCase(k)
		return err
	})
	return done, err
}

// proposed finds a waiting proposal and the belief that it is about.
func (g beliefTx) proposed(correction string) (beliefRecords, engram.Correction, error) {
	for _, b := range g.index.beliefs {
		k, err := b.correction(correction)
		if err != nil {
			continue
		}
		if k.Status != engram.Pending {
			return b, k, resolved(correction)
		}
		return b, k, nil
	}
	return beliefRecords{}, engram.Correction{}, noCorrection(correction)
}

func noCorrection(id string) error {
	return &memory.Error{Kind: memory.NotFound, Op: "resolve", Rule: "ENGRAM-3.9-CORR-9",
		Message: "no correction with id " + shortened(id) + "; corrections list shows those that wait"}
}

func resolved(id string) error {
	return &engram.Fault{Code: engram.InvalidRequest, Rule: "ENGRAM-3.9-CORR-14",
		Detail: "the correction " + shortened(id) + " is already resolved"}
}

// approve gives the belief the proposed value. The owner's approval is a correction of
// its own that names the proposal (decision E-12).
func (g beliefTx) approve(b beliefRecords, k engram.Correction, note string) (beliefRecords, error) {
	rec, err := g.candidate(b, k.ID)
	if err != nil {
		return b, err
	}
	trigger := engram.UserCorrection
	if k.By == engram.BySystem {
		trigger = engram.ContradictionResolution
	}
	context := b.Contexts[k.ID]
	if b, err = g.settle(b, k, engram.Confirmed, note); err != nil {
		return b, err
	}
	return g.override(b, valueChange{
		value: k.New, method: engram.Approved, trigger: trigger, candidate: rec.ID,
		context: context, note: approves(k.ID, note), confidence: approvedConfidence,
	})
}

// approves returns the note of a correction that approves a proposal.
func approves(correction, note string) string {
	if note == "" {
		return "approves correction " + correction
	}
	return "approves correction " + correction + ": " + note
}

// candidate returns the record of a proposal.
func (g beliefTx) candidate(b beliefRecords, correction string) (memory.Record, error) {
	for _, rec := range b.lineage.Proposals {
		k, err := g.proposedBy(b, rec)
		if err == nil && k.ID == correction || err != nil && !errors.Is(err, store.ErrNotFound) {
			return rec, err
		}
	}
	return memory.Record{}, noCorrection(correction)
}

// proposedBy returns the correction that a candidate proposes, or [store.ErrNotFound].
func (g beliefTx) proposedBy(b beliefRecords, rec memory.Record) (engram.Correction, error) {
	told, err := g.tell.Belief(engram.Lineage{Versions: b.lineage.Versions, Proposals: []memory.Record{rec}, Root: b.lineage.Root})
	if err != nil {
		return engram.Correction{}, err
	}
	alone, err := g.tell.Belief(engram.Lineage{Versions: b.lineage.Versions, Root: b.lineage.Root})
	if err != nil {
		return engram.Correction{}, err
	}
	if own := missing(alone.Corrections, told.Corrections, correctionID); len(own) == 1 {
		return own[0], nil
	}
	return engram.Correction{}, store.ErrNotFound
}

// settle resolves a proposal: its record becomes a tombstone that keeps the proposal and
// its outcome for the audit trail.
func (g beliefTx) settle(b beliefRecords, k engram.Correction, as engram.Resolution, note string) (beliefRecords, error) {
	rec, err := g.candidate(b, k.ID)
	if err != nil {
		return b, err
	}
	r, err := g.w.Row(rec.ID)
	if err != nil {
		return b, err
	}
	act, why := audit.Reject, memory.Incorrect
	if as == engram.Confirmed {
		act, why = audit.Approve, memory.Duplicate
	}
	k.Status = as
	rec = vault.Tombstone(withResolution(rec, k), memory.ForgetRequest{Reason: why, Note: note}, g.now)
	if err := g.vault.kernel.Amend(g.w, r, rec); err != nil {
		return b, err
	}
	if err := vault.Unlink(g.w, rec.ID); err != nil {
		return b, err
	}
	if _, err := g.w.Record(store.Change{At: g.now, Type: store.Tombstoned, ID: rec.ID}); err != nil {
		return b, err
	}
	if as == engram.Rejected {
		if err := vault.MarkUndo(g.w, g.undoName(), vault.UndoMark{Act: vault.UndoReject, Record: rec.ID}, g.now); err != nil {
			return b, err
		}
	}
	b.lineage.Proposals = slices.Clone(b.lineage.Proposals)
	for i := range b.lineage.Proposals {
		if b.lineage.Proposals[i].ID == rec.ID {
			b.lineage.Proposals[i] = rec
		}
	}
	if err := g.vault.kernel.Note(g.w, g.caller, audit.Entry{Act: act}, rec.ID); err != nil {
		return b, err
	}
	return g.retold(b)
}

// withResolution returns a candidate with its resolved correction in full. Its text
// disappears when the tombstone is emptied.
func withResolution(rec memory.Record, k engram.Correction) memory.Record {
	said, ok := codec.Residue(rec, "engram")
	if !ok || said.Type() != canon.TypeObject || said.Get("v").Float() != 1 {
		said = canon.Object(canon.Member{Name: "v", Value: canon.Int(1)}, canon.Member{Name: "id", Value: canon.String(k.Belief)})
	}
	return codec.WithResidue(rec, "engram", said.With("proposal", k.Wire().Without("belief_id")))
}
