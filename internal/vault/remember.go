package vault

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Remember stores a draft, or says which record says the same already
// (UMP 3.3, decision UD-19).
func (v *Vault) Remember(ctx context.Context, c memory.Caller, d memory.Draft) (memory.Remembered, error) {
	const op = "remember"
	if err := v.mayWrite(op, c); err != nil {
		return memory.Remembered{}, err
	}
	now := instant(v.now())
	p, err := v.prepare(op, c, d, now)
	if err != nil {
		return memory.Remembered{}, v.refusal(op, d.Record.ID, err)
	}
	var done memory.Remembered
	request := requestDigest(op, d.Record.Origin)
	err = v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		return once(w, d.Key, request, now, &done, func() error {
			done, err = v.admit(w, p, now)
			return err
		})
	})
	return done, v.refusal(op, d.Record.ID, err)
}

// prepared is a draft that is ready to be stored: complete, checked, signed and
// tokenised, so that little is left to do while others wait for the store.
type prepared struct {
	rec      memory.Record
	indexed  store.Document
	mergeKey string        // digest under which it may merge; empty: never
	asked    memory.Record // as the author gave it: what merging must not lose
	imp      int64         // the import that brings it; 0: none
	staged   bool
}

// prepare checks, completes and signs a draft.
func (v *Vault) prepare(op string, c memory.Caller, d memory.Draft, now time.Time) (prepared, error) {
	rec := d.Record
	if !d.Complete {
		rec = fill(rec, c, now, op)
	}
	if err := ump.CheckLevel2(rec); err != nil {
		return prepared{}, err
	}
	switch {
	case rec.Scope.Owner != c.Owner:
		return prepared{}, &memory.Error{Kind: memory.ForbiddenScope, Op: op, ID: rec.ID, Path: "/scope/owner",
			Rule: "UMP-3.3-10", Message: "the record belongs to another owner; leave scope.owner out to use your own"}
	case rec.Scope.Visibility.WiderThan(memory.Private) && c.Role != memory.Owner:
		return prepared{}, forbidden(op, "only the owner may share or publish a record: leave scope.visibility out")
	}
	if err := consented(op, rec, now); err != nil {
		return prepared{}, err
	}
	return v.signed(rec, d)
}

// signed verifies what came complete, and authors the rest with the owner's key.
func (v *Vault) signed(rec memory.Record, d memory.Draft) (prepared, error) {
	if d.Complete {
		if err := ump.Verify(rec.Origin); err != nil {
			return prepared{}, err
		}
		return prepared{rec: rec, indexed: indexed(rec), asked: d.Record}, nil
	}
	born, err := ump.Author(rec, v.holder(rec.Scope.Owner))
	if err != nil {
		return prepared{}, err
	}
	p := prepared{rec: born, indexed: indexed(born), asked: d.Record}
	if d.Record.ID == "" {
		p.mergeKey = ump.DuplicateKey(born)
	}
	return p, nil
}

// admit stores p within a transaction, unless it is there already.
func (v *Vault) admit(w store.Writer, p prepared, now time.Time) (memory.Remembered, error) {
	if p.mergeKey != "" {
		if id, err := v.merge(w, p, now); err != nil || id != "" {
			return memory.Remembered{ID: id, Outcome: memory.Merged}, err
		}
	}
	switch old, err := w.Row(p.rec.ID); {
	case err == nil:
		return v.same(w, old, p)
	case !errors.Is(err, store.ErrNotFound):
		return memory.Remembered{}, err
	}
	err := v.insert(w, p, p.rec.ID, now, store.Created)
	if errors.Is(err, store.ErrExists) {
		return v.twice(w, p)
	}
	return memory.Remembered{ID: p.rec.ID, Outcome: memory.Created}, err
}

// insert writes a new row, closes what it supersedes and notes the change. An
// import notes one change for all its records when it is published.
func (v *Vault) insert(w store.Writer, p prepared, lineage memory.ID, now time.Time, change store.ChangeType) error {
	r := row(p.rec, lineage)
	r.Columns.Import, r.Columns.Staged = p.imp, p.staged
	if lineage == p.rec.ID {
		root, err := chain(w, p.rec)
		if err != nil {
			return err
		}
		r.Columns.Lineage = root
	}
	if _, err := w.Insert(r, p.indexed, links(p.rec)); err != nil {
		return err
	}
	if p.staged {
		return nil
	}
	if err := v.closePriors(w, p.rec); err != nil {
		return err
	}
	if p.imp != 0 {
		return nil
	}
	_, err := w.Record(store.Change{At: now, Type: change, ID: p.rec.ID})
	return err
}

// chain finds the belief a new record belongs to: that of the first record it
// supersedes that is here, else one of its own.
func chain(w store.Reader, rec memory.Record) (memory.ID, error) {
	for _, id := range rec.Supersedes {
		old, err := w.Row(id)
		if err == nil {
			return old.Columns.Lineage, nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
	}
	return rec.ID, nil
}

// merge looks for a live record that says the same as the draft and adds the
// draft's evidence to it. It returns no id when there is none.
func (v *Vault) merge(w store.Writer, p prepared, now time.Time) (memory.ID, error) {
	rows, err := w.Duplicates(p.mergeKey, p.imp)
	if err != nil {
		return "", err
	}
	for _, r := range rows {
		target, err := record(r)
		if err != nil {
			return "", err
		}
		if !v.mergeable(target, p, now) {
			continue
		}
		return target.ID, v.addEvidence(w, r, target, p.asked, now)
	}
	return "", nil
}

// mergeable reports whether target stands for the draft without loss: it is
// live, and has every word of policy, time and relation the author gave.
func (v *Vault) mergeable(target memory.Record, p prepared, now time.Time) bool {
	g := gate{vault: v, caller: memory.Caller{Owner: target.Scope.Owner, Role: memory.Owner}, now: now}
	if g.status(target) != memory.Active || !target.Time.ValidAt(now) {
		return false
	}
	return sameConsent(target.Consent, p.asked.Consent) &&
		p.asked.Lifecycle.Status.Or() == memory.Active &&
		sameTimes(target, p.asked) &&
		containsAll(target.Relations, p.asked.Relations) &&
		containsAll(target.Supersedes, p.asked.Supersedes)
}

// sameTimes reports whether the times the author gave are the target's. What
// was not given does not matter; an event is another event at another time.
func sameTimes(target, asked memory.Record) bool {
	same := func(given, have time.Time) bool { return given.IsZero() || given.Equal(have) }
	if !same(asked.Time.ValidFrom, target.Time.ValidFrom) || !same(asked.Time.ValidTo, target.Time.ValidTo) {
		return false
	}
	return asked.Kind != memory.Episodic || same(asked.Time.Observed, target.Time.Observed)
}

func sameConsent(a, b *memory.Consent) bool {
	if a == nil || b == nil {
		return a == b
	}
	exportable := func(c *memory.Consent) bool { return c.Exportable == nil || *c.Exportable }
	return a.Retention == b.Retention && exportable(a) == exportable(b) && slices.Equal(a.Redact, b.Redact)
}

func containsAll[T comparable](have, want []T) bool {
	return !slices.ContainsFunc(want, func(x T) bool { return !slices.Contains(have, x) })
}

// addEvidence appends the draft's evidence to the record it merges into. Without
// the owner's key the record would lose its signature, so it stays as it is
// (decision UD-19).
func (v *Vault) addEvidence(w store.Writer, r store.Row, target, asked memory.Record, now time.Time) error {
	key := v.holder(target.Scope.Owner)
	fresh := newEvidence(target, asked)
	if key == nil || len(fresh) == 0 {
		return nil
	}
	p := *target.Provenance
	p.Evidence = append(slices.Clone(p.Evidence), fresh...)
	target.Provenance = &p
	if err := v.amend(w, r, target); err != nil {
		return err
	}
	if r.Columns.Staged {
		return nil
	}
	_, err := w.Record(store.Change{At: now, Type: store.Merged, ID: target.ID})
	return err
}

func newEvidence(target, asked memory.Record) []memory.Evidence {
	if target.Provenance == nil || asked.Provenance == nil {
		return nil
	}
	var fresh []memory.Evidence
	for _, e := range asked.Provenance.Evidence {
		known := func(k memory.Evidence) bool { return k.Ref == e.Ref }
		if !slices.ContainsFunc(target.Provenance.Evidence, known) {
			fresh = append(fresh, e)
		}
	}
	return fresh
}

// amend writes the current form of a record the engine has changed, signed in
// the same transaction when the key is held (decision 1).
func (v *Vault) amend(w store.Writer, old store.Row, rec memory.Record) error {
	amended, err := ump.Amend(rec, v.holder(rec.Scope.Owner))
	if err != nil {
		return err
	}
	return w.Replace(reworked(old, amended), links(amended))
}

// closePriors ends the valid time of the records that rec replaces, exactly like
// revise. Ids that are not here are plain links.
func (v *Vault) closePriors(w store.Writer, rec memory.Record) error {
	for _, id := range rec.Supersedes {
		r, err := w.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		prior, err := record(r)
		if err != nil {
			return err
		}
		if slices.Contains(prior.SupersededBy, rec.ID) {
			continue
		}
		if err := v.amend(w, r, closed(prior, rec)); err != nil {
			return err
		}
	}
	return nil
}

// closed returns prior as its successor leaves it: valid until the successor
// begins, so that valid time is contiguous (decision UD-20).
func closed(prior, successor memory.Record) memory.Record {
	end := successor.Time.From()
	if from := prior.Time.From(); end.Before(from) {
		end = from
	}
	if prior.Time.ValidTo.IsZero() || end.Before(prior.Time.ValidTo) {
		prior.Time.ValidTo = end
	}
	prior.SupersededBy = append(slices.Clone(prior.SupersededBy), successor.ID)
	return prior
}
