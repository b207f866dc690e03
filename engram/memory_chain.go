package engram

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// versionDraft is a planned version of a belief.
type versionDraft struct {
	value       string
	at          time.Time
	change      *Change // nil: the first version, or a gap
	gap         bool
	corrections []Correction // the corrections that led to it
}

// belief makes the records of the document's i-th belief.
func (in *recordBuilder) belief(i int, b Belief, changes []Change, corrections []Correction) error {
	if b.Status == Deleted && !b.Value.Has(carrier) {
		return in.tombstone(i, b, len(changes)+len(corrections) > 0)
	}
	if was, ok := in.restoreBelief(i, b, changes, corrections); ok {
		in.records = append(in.records, was...)
		return nil
	}
	if b.Status == Deleted {
		return in.tombstone(i, b, true)
	}
	in.consent = in.consentOf(b)
	steps, proposed := plan(b, changes, corrections, in.issued())
	made, err := in.chain(i, b, steps)
	if err != nil {
		return err
	}
	in.records = append(in.records, made...)
	for _, c := range proposed {
		r, err := in.candidateOf(b, made[len(made)-1], c)
		if err != nil {
			return err
		}
		in.records = append(in.records, r)
	}
	return nil
}

// plan returns the versions of a belief, and the proposals that wait or were rejected.
func plan(b Belief, changes []Change, corrections []Correction, issued time.Time) ([]versionDraft, []Correction) {
	changes = slices.Clone(changes)
	sortStable(changes, func(a, b *Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
	steps := []versionDraft{{value: b.Text, at: b.CreatedAt}}
	if len(changes) > 0 {
		steps[0].value = changes[0].Old
	}
	if steps[0].at.IsZero() {
		steps[0].at = issued
	}
	for i := range changes {
		c := &changes[i]
		if c.Old != steps[len(steps)-1].value {
			steps = append(steps, versionDraft{value: c.Old, at: c.ChangedAt, gap: true})
		}
		steps = append(steps, versionDraft{value: c.New, at: c.ChangedAt, change: c})
	}
	if last := steps[len(steps)-1]; last.value != b.Text {
		steps = append(steps, versionDraft{value: b.Text, at: b.LastConfirmed, gap: true})
	}
	clampTimes(steps)
	return steps, assign(steps, corrections)
}

// clampTimes makes each version begin no earlier than the one before.
func clampTimes(steps []versionDraft) {
	for i := len(steps) - 2; i >= 0; i-- {
		if next := steps[i+1].at; !next.IsZero() && next.Before(steps[i].at) {
			if steps[i+1].change == nil {
				steps[i+1].at = steps[i].at
			} else {
				steps[i].at = next
			}
		}
	}
	for i := range steps[1:] {
		if steps[i+1].at.Before(steps[i].at) {
			steps[i+1].at = steps[i].at
		}
	}
}

// assign gives each correction to the version that it led to, and returns the proposals. Of
// several matching versions it takes the first one that began at the time of the
// correction, else the last. A correction without a match goes to the last version.
func assign(steps []versionDraft, corrections []Correction) []Correction {
	last, dated := map[valueChange]int{}, map[datedChange]int{}
	for i := 1; i < len(steps); i++ {
		if steps[i].gap {
			continue
		}
		m := valueChange{steps[i-1].value, steps[i].value}
		last[m] = i
		if d := m.on(steps[i].at); dated[d] == 0 {
			dated[d] = i
		}
	}
	var proposed []Correction
	for _, c := range corrections {
		if c.Status == Pending || c.Status == Rejected {
			proposed = append(proposed, c)
			continue
		}
		m := valueChange{c.Old, c.New}
		to := dated[m.on(c.CorrectedAt)]
		if to == 0 {
			to = last[m]
		}
		if to == 0 {
			to = len(steps) - 1
		}
		steps[to].corrections = append(steps[to].corrections, c)
	}
	return proposed
}

// valueChange is a belief's change from one value to another.
type valueChange struct{ before, after string }

// datedChange is a change at an instant, which may lie in any year.
type datedChange struct {
	valueChange
	seconds     int64
	nanoseconds int
}

func (m valueChange) on(at time.Time) datedChange { return datedChange{m, at.Unix(), at.Nanosecond()} }

// chain makes the versions of a belief; all but the last are born closed.
func (in *recordBuilder) chain(i int, b Belief, steps []versionDraft) ([]memory.Record, error) {
	said := residueBeliefOf(b)
	drafts := make([]memory.Record, len(steps))
	for n := range steps {
		drafts[n] = in.version(i, b, said, steps, n)
	}
	return in.Forms.AuthorVersions(drafts)
}

// version returns the draft of one version.
func (in *recordBuilder) version(i int, b Belief, said canon.Value, steps []versionDraft, n int) memory.Record {
	s := steps[n]
	r := memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: b.Key + keyed + s.value},
		Scope: memory.Scope{Owner: in.Owner, Visibility: memory.Private},
		Time:  memory.Times{Created: s.at, Observed: s.at, ValidFrom: s.at},
	}
	last := n == len(steps)-1
	switch {
	case !last:
		r.Time.ValidTo = steps[n+1].at
	case b.Status == Archived:
		r.Time.ValidTo = in.archivedAt(s)
	}
	method, evidence := "", ""
	if s.change != nil {
		method = string(s.change.Trigger)
		if s.change.Context != "" {
			evidence = s.change.ID
		}
	}
	r.Provenance, r.Consent = in.provenance(b.Source, method), in.consent
	setMembers(&r, said)
	if !last {
		said = keyOnly(b.Key, b.Category)
	}
	r = in.imported(r, evidence)
	return in.withResidue(i, r, in.residue(b.ID, said, steps, n))
}

// archivedAt returns when an archived belief was put away: when it expired, else when the
// document was issued.
func (in *recordBuilder) archivedAt(last versionDraft) time.Time {
	at := in.issued()
	if last.change != nil && last.change.Trigger == Expiry || at.Before(last.at) {
		at = last.at
	}
	return at
}

// residue returns the residue of one version.
func (in *recordBuilder) residue(id string, said canon.Value, steps []versionDraft, n int) canon.Value {
	s, before := steps[n], ""
	if n > 0 {
		before = steps[n-1].value
	}
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueID, canon.String(id))
	o.add(residueBelief, said)
	ids := make([]string, 0, len(s.corrections)+1)
	if s.gap {
		o.add(residueGap, canon.Bool(true))
	}
	if s.change != nil {
		o.add(residueEvolution, trimEntry(s.change.Wire(), before, s.value))
		ids = append(ids, s.change.ID)
	}
	for _, c := range s.corrections {
		ids = append(ids, c.ID)
	}
	if n == 0 {
		o.put(residueCorrections, fullCorrections(s.corrections))
	} else {
		o.put(residueCorrections, correctionsOf(s.corrections, before, s.value))
	}
	o.put(residuePlaces, in.placesOf(ids...))
	if n == len(steps)-1 {
		in.addDocument(&o)
	}
	return o.value()
}

// fullCorrections returns the corrections in a first version's residue, in full: no earlier
// version supplies their values.
func fullCorrections(list []Correction) canon.Value {
	if len(list) == 0 {
		return canon.Value{}
	}
	items := make([]canon.Value, len(list))
	for i, c := range list {
		items[i] = c.Wire().Without("belief_id")
	}
	return canon.Array(items...)
}

// withResidue adds the residue to a draft, without members that a record cannot hold as
// spelled.
func (in *recordBuilder) withResidue(i int, r memory.Record, v canon.Value) memory.Record {
	if canon.Check(v.Append(nil), canon.Options{Depth: recordDepth}) != nil {
		v = without(v, residueBelief).With(residueBelief, ReadBelief(v.Get(residueBelief)).fields())
		in.lose(pointer("beliefs", i), lossUnknown)
	}
	return codec.WithResidue(r, residueName, v)
}

// recordDepth is the deepest nesting of residue.
const recordDepth = 48
