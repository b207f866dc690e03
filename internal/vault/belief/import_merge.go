package belief

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// lastChange returns when a belief was last changed, confirmed or deleted.
func lastChange(b engram.BeliefHistory) time.Time {
	at := b.CreatedAt
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	later(b.LastConfirmed)
	later(b.DeletedAt)
	for _, c := range b.Evolution {
		later(c.ChangedAt)
	}
	for _, k := range b.Corrections {
		if k.Status == "" || k.Status == engram.Confirmed {
			later(k.CorrectedAt)
		}
	}
	return at
}

// saysAll reports whether a belief that is here has everything that the document's
// belief has.
func saysAll(ours beliefRecords, theirs engram.BeliefHistory) bool {
	return sameBelief(ours.Belief, theirs.Belief) &&
		len(missing(ours.Evolution, theirs.Evolution, changeID)) == 0 &&
		len(missing(ours.Corrections, theirs.Corrections, correctionID)) == 0
}

func sameBelief(a, b engram.Belief) bool {
	days := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	return a.Category == b.Category && a.Key == b.Key && a.Text == b.Text && a.ValueType == b.ValueType &&
		a.Confidence == b.Confidence && a.Source == b.Source && a.Status == b.Status &&
		sameSecond(a.LastConfirmed, b.LastConfirmed) && days(a.StaleAfter) == days(b.StaleAfter) && slices.Equal(a.Tags, b.Tags)
}

// sameSecond compares times to the second, as exports write them.
func sameSecond(a, b time.Time) bool { return a.Truncate(time.Second).Equal(b.Truncate(time.Second)) }

func changeID(c engram.Change) string         { return c.ID }
func correctionID(k engram.Correction) string { return k.ID }

// missing returns the entries of more that have lacks.
func missing[T any](have, more []T, id func(T) string) []T {
	known := map[string]bool{}
	for _, x := range have {
		known[id(x)] = true
	}
	return slices.DeleteFunc(slices.Clone(more), func(x T) bool { return known[id(x)] })
}

// merge updates a belief that is here to the document's. It writes one version for each
// change that is unknown here and later than the last change here.
func (t *contextImport) merge(ours beliefRecords, theirs engram.BeliefHistory) error {
	last := lastChange(ours.BeliefHistory)
	changes := missing(ours.Evolution, theirs.Evolution, changeID)
	earlier := len(changes)
	changes = slices.DeleteFunc(changes, func(c engram.Change) bool { return c.ChangedAt.Before(last) })
	if earlier > len(changes) {
		t.warn("belief " + shortened(theirs.ID) + ": what the document says of its history before the last change here was not taken in")
	}
	corrections := slices.DeleteFunc(missing(ours.Corrections, theirs.Corrections, correctionID),
		func(k engram.Correction) bool { return k.Status == engram.Pending || k.Status == engram.Rejected })
	steps, err := t.steps(ours, theirs, changes)
	if err != nil {
		return err
	}
	for i, s := range steps {
		if i == len(steps)-1 {
			s.by = corrections
		}
		if ours, err = t.succeed(ours, s); err != nil {
			return err
		}
	}
	return nil
}

// steps returns the versions that lead from the belief here to the document's.
func (t *contextImport) steps(ours beliefRecords, theirs engram.BeliefHistory, changes []engram.Change) ([]nextVersion, error) {
	var steps []nextVersion
	now := ours.Text
	for _, c := range changes {
		b := ours.Belief
		b.Text, now = c.New, c.New
		steps = append(steps, nextVersion{belief: b, change: c})
	}
	switch {
	case now != theirs.Text:
		id, err := engram.NewID(rand.Reader)
		if err != nil {
			return nil, err
		}
		steps = append(steps, nextVersion{belief: theirs.Belief, change: engram.Change{
			ID: id, Belief: ours.ID, Old: now, New: theirs.Text, ChangedAt: t.now,
			Trigger: engram.NaturalUpdate, Note: "taken in from " + t.doc.Issuer.URL,
		}})
	case len(steps) == 0:
		steps = append(steps, nextVersion{belief: theirs.Belief})
	default:
		steps[len(steps)-1].belief = theirs.Belief
	}
	return steps, nil
}

// identity imports the document's identity, if the document is the owner's and its
// identity is the later one.
func (t *contextImport) identity() error {
	i := t.doc.Identity
	if t.doc.Subject.ID == "" && i.CreatedAt.IsZero() && i.LastUpdated.IsZero() {
		return nil // the owner's own document, without a stated identity
	}
	rec, was, err := t.beliefTx.identity()
	if err != nil {
		return err
	}
	at := i.LastUpdated
	if at.IsZero() {
		at = t.doc.IssuedAt
	}
	if rec != nil && (sameIdentity(was, i) || !at.After(was.LastUpdated)) {
		return nil
	}
	if at.IsZero() || at.After(t.now) {
		at = t.now
	}
	_, err = t.identify(i, at)
	t.done.Identity = err == nil
	return err
}

// constraint imports one constraint. A constraint that is here stays as it is, and one
// deleted on either side is deleted.
func (t *contextImport) constraint(b beliefDraft) error {
	theirs, ok := t.tell.Constraint(b.lineage.Versions[len(b.lineage.Versions)-1])
	if !ok {
		return nil
	}
	rec, ours, err := t.beliefTx.constraint(theirs.ID)
	if err != nil {
		return err
	}
	switch {
	case rec == nil && !t.index.gone[theirs.ID]:
		return t.add(b)
	case rec == nil || ours.Status == string(engram.Deleted):
		t.done.Unchanged++
		return nil
	case theirs.Status == string(engram.Deleted):
		t.done.Deleted++
		return t.forgetChain(rec.ID)
	case ours.Rule == theirs.Rule && ours.Status == theirs.Status:
		t.done.Unchanged++
		return nil
	}
	t.done.Older++
	t.warn("constraint " + shortened(theirs.ID) + " says something else here and stays as it is")
	return nil
}

// errDryRun ends the transaction of a dry run.
var errDryRun = errors.New("this was only tried")

// updateDryRun is Update that always rolls back.
func (s *Service) updateDryRun(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	err := s.kernel.Store().Update(ctx, owner, func(w store.Writer) error {
		if err := fn(w); err != nil {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}
