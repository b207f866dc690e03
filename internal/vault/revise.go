package vault

import (
	"bytes"
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Revise makes a successor of a record and closes the prior, both or neither
// (UMP 3.5, decision UD-20).
func (v *Vault) Revise(ctx context.Context, c memory.Caller, r memory.Revision) (memory.RevisionResult, error) {
	const op = "revise"
	if err := v.mayWrite(op, c); err != nil {
		return memory.RevisionResult{}, err
	}
	if err := mayName(c, op, r.Actor); err != nil {
		return memory.RevisionResult{}, v.refusal(c, op, r.ID, err)
	}
	patch, err := parsePatch(r.Patch)
	if err != nil {
		return memory.RevisionResult{}, v.refusal(c, op, r.ID, err)
	}
	patch, warnings, err := patchWithoutSecrets(c, r, patch)
	if err != nil {
		return memory.RevisionResult{}, v.refusal(c, op, r.ID, err)
	}
	if patch, err = v.patchInProject(ctx, c, patch); err != nil {
		return memory.RevisionResult{}, v.refusal(c, op, r.ID, err)
	}
	now := Instant(v.now())
	var done memory.RevisionResult
	r.Key = keyOf(c, r.Key)
	request := v.requestDigest(c.Owner, op, r.Key, said(r))
	err = v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		if c.Role == memory.Peer { // no receipt reveals a record beyond the token's reach
			if _, _, _, err := v.reached(w, c, r.ID); err != nil {
				return err
			}
		}
		return once(w, r.Key, request, now, &done, func() error {
			done, err = v.succeed(ctx, w, c, r, patch, now)
			return err
		})
	})
	if err == nil {
		done.Warnings = warnings
	}
	return done, v.refusal(c, op, r.ID, err)
}

// said returns the content of a revision's request, to tell it from another.
func said(r memory.Revision) []byte {
	all := append([]byte(r.ID+"\x00"), bytes.TrimSpace(r.Patch)...)
	if r.Actor != "" {
		all = append(append(all, 0), r.Actor...)
	}
	return all
}

func parsePatch(raw []byte) (canon.Value, error) {
	if err := ump.CheckPatch(raw); err != nil {
		return canon.Value{}, err
	}
	return canon.Parse(raw, canon.Options{})
}

// succeed writes the successor of a record and closes the prior.
func (v *Vault) succeed(ctx context.Context, w store.Writer, c memory.Caller, r memory.Revision, patch canon.Value, now time.Time) (memory.RevisionResult, error) {
	g, row, prior, err := v.reached(w, c, r.ID)
	if err != nil {
		return memory.RevisionResult{}, err
	}
	if Foreign(prior, c.Owner) {
		return memory.RevisionResult{}, errForeign("revise", prior)
	}
	if g.status(prior) == memory.Tombstoned {
		return memory.RevisionResult{}, Invalid("", "/id", "UMP-3.5-10", "the record was forgotten and cannot be revised")
	}
	if err := g.unforked("revise", "/id", prior); err != nil {
		return memory.RevisionResult{}, err
	}
	next, err := successor(prior, patch, c, now)
	if err != nil {
		return memory.RevisionResult{}, err
	}
	next.Provenance = ActedBy(next.Provenance, r.Actor)
	if err := mayDerive(c, added(append(citations(prior), prior.ID), citations(next))); err != nil {
		return memory.RevisionResult{}, err
	}
	if next, err = v.takeOver(w, prior, next); err != nil {
		return memory.RevisionResult{}, err
	}
	next = Marked(next, c)
	if err := v.maySucceed(w, g, row.Columns.Lineage, prior, next); err != nil {
		return memory.RevisionResult{}, err
	}
	if confirms(prior, next) {
		if done, ok, err := v.beliefs.ConfirmRevised(ctx, w, c, prior, next, r.Actor); ok || err != nil {
			return done, err
		}
	}
	born, err := v.authoredIn(w, next)
	if err != nil {
		return memory.RevisionResult{}, err
	}
	if _, err := v.insert(w, Prepared{Rec: born, Indexed: Document(born)}, false); err != nil {
		return memory.RevisionResult{}, err
	}
	if err := v.settleChain(w, born); err != nil {
		return memory.RevisionResult{}, err
	}
	if err := BroughtIn(w, c, born.ID); err != nil {
		return memory.RevisionResult{}, err
	}
	if _, err = w.Record(store.Change{At: now, Type: store.Revised, ID: born.ID}); err != nil {
		return memory.RevisionResult{}, err
	}
	if c.Role == memory.Owner { // what others revise, the owner corrects
		mark := UndoMark{Act: UndoRevise, Record: born.ID}
		if prior.Lifecycle.Status == memory.Candidate && next.Lifecycle.Status.Or() == memory.Active {
			mark.Act = UndoConfirm
		}
		err = MarkUndo(w, UndoNameOf(ctx), mark, now)
	}
	return memory.RevisionResult{ID: born.ID, Supersedes: born.Supersedes}, err
}

// confirms reports whether a revision puts a proposal in force, which is how the owner
// confirms one over UMP.
func confirms(prior, next memory.Record) bool {
	return prior.Lifecycle.Status == memory.Candidate && next.Lifecycle.Status.Or() == memory.Active && Contradicted(prior) != ""
}

// maySucceed refuses a successor that the caller may not make, or that nobody can make.
func (e *editor) maySucceed(w store.Writer, g Gate, lineage memory.ID, prior, next memory.Record) error {
	if err := MayChange(g.Caller, prior, next); err != nil {
		return err
	}
	if err := e.beliefs.MayConclude(w, g.Caller, lineage, prior, next); err != nil {
		return err
	}
	sees, err := g.Sees(next)
	if err != nil {
		return err
	}
	if !sees {
		return &memory.Error{Kind: memory.ForbiddenScope, Op: "revise", Rule: "UMP-5.2-1",
			Message: "the token does not reach what the record would become"}
	}
	if err := Unexpired("revise", next, g.Now); err != nil {
		return err
	}
	return coherent("revise", next)
}

// MayChange refuses revisions that only the owner may make: to confirm a candidate,
// publish more, widen visibility, or loosen the record's policy.
func MayChange(c memory.Caller, prior, next memory.Record) error {
	const op = "revise"
	// A peer may revise what is shared with peers: it cannot reveal anything else.
	shared := c.Role == memory.Peer && prior.Scope.Visibility == memory.Shared && next.Scope.Visibility == memory.Shared
	switch {
	case c.Role == memory.Owner:
		return nil
	case c.Role == memory.Peer && next.Scope.Visibility != prior.Scope.Visibility:
		return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Rule: "UMP-5.2-7", Message: "no token changes who may see a record: leave scope.visibility out"}
	case prior.Lifecycle.Status == memory.Candidate && next.Lifecycle.Status != memory.Candidate:
		return Forbidden(op, "only the owner may confirm a candidate: use the command line")
	case next.Scope.Visibility.WiderThan(memory.Private) && !shared:
		return Forbidden(op, "only the owner may change what others can read")
	case c.Role == memory.Peer && !sameConsent(prior.Consent, next.Consent):
		return Forbidden(op, "only the owner may change what is done with a record: leave consent out")
	case c.Role == memory.Peer && next.Time.From().Before(prior.Time.From()):
		return Forbidden(op, "only the owner may say that a fact never held: begin after it did")
	case looser(prior.Consent, next.Consent):
		return Forbidden(op, "only the owner may loosen a record's consent")
	}
	return nil
}

// looser reports whether a policy allows more than the previous one.
func looser(was, is *memory.Consent) bool {
	if was == nil {
		return false
	}
	if is == nil {
		is = &memory.Consent{}
	}
	kept := was.Exportable == nil || *was.Exportable || is.Exportable != nil && !*is.Exportable
	return !kept || was.Retention != "" && was.Retention != is.Retention || !containsAll(is.Redact, was.Redact)
}

// successor applies the patch to the prior's present form and makes a new record of the
// result. Members outside the patch carry over.
func successor(prior memory.Record, patch canon.Value, c memory.Caller, now time.Time) (memory.Record, error) {
	form, err := canon.Parse(prior.Form(), canon.Options{})
	if err != nil {
		return memory.Record{}, err
	}
	for _, gone := range []string{"id", "integrity", "supersedes", "superseded_by"} {
		form = form.Without(gone)
	}
	form = form.With("time", canon.Object())
	if !patch.Has("provenance") {
		form = form.Without("provenance")
	}
	form = canon.MergePatch(form, patch)
	if !form.Has("kind") {
		return memory.Record{}, Invalid("", "/patch/kind", "UMP-3.5-6", "a record needs its kind")
	}
	draft, err := ump.DecodeDraft(form.Append(nil), codec.Options{Owner: prior.Scope.Owner})
	if err != nil {
		return memory.Record{}, err
	}
	next := draft.Record
	next.Lifecycle.Status = next.Lifecycle.Status.Or() // a proposal stays one until it is confirmed
	if next.Provenance == nil {
		next.Provenance = Stamp(c, "revise", string(prior.ID))
	}
	next.Supersedes = []memory.ID{prior.ID}
	next.Time = successorTimes(next.Time, prior.Time, now)
	return fill(next, c, now, "revise"), ump.CheckLevel2(next)
}

// successorTimes dates a successor: authored now, learnt and valid from now unless the
// patch says otherwise. A successor of a record that is not valid yet begins when that
// record would: until then the record before it holds.
func successorTimes(t, prior memory.Times, now time.Time) memory.Times {
	t.Created = now
	if t.Observed.IsZero() {
		t.Observed = now
	}
	if t.ValidFrom.IsZero() {
		t.ValidFrom = now
		if from := prior.From(); from.After(now) {
			t.ValidFrom = from
		}
	}
	return t
}
