package engram

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// beliefID: see [BeliefID].
func beliefID(root memory.Record) string {
	if id := residueOf(root).Get(residueID).Text(); id != "" {
		return id
	}
	return IDFrom("engram-ump:" + string(root.ID))
}

// belief: see [Mapper.Belief].
func (m Mapper) belief(l Lineage) (BeliefHistory, error) {
	if len(l.Versions) == 0 {
		return BeliefHistory{}, &memory.Error{Kind: memory.InvalidRecord, Message: "a belief has at least one record"}
	}
	list := versions(l.Versions)
	last := list[len(list)-1]
	id := idOf(list, l.Root)
	if end, ok := m.Forms.Expiry(last.Record); last.deleted() || ok && m.past(end) {
		return m.carryTombstone(BeliefHistory{Belief: ReadBelief(tombstoneOf(id, list, end)), Losses: deletedLosses(l)}, l)
	}
	t := BeliefHistory{Contexts: map[string]string{}, places: map[string]int{}}
	t.Belief = ReadBelief(m.current(id, list))
	t.addHistory(id, list)
	t.addProposals(id, list, l.Proposals)
	t.sortByTime()
	t.Losses = nativeLosses(list)
	if !m.Residue {
		return t, nil
	}
	return m.carry(t, l)
}

// idOf returns the id that the newest version with an id states, else the id of the root.
func idOf(list []version, root memory.ID) string {
	for i := len(list) - 1; i >= 0; i-- {
		if id := list[i].residue.Get(residueID).Text(); id != "" {
			return id
		}
	}
	if root != "" {
		return beliefID(memory.Record{ID: root})
	}
	return beliefID(list[0].Record)
}

// past reports whether an instant has passed.
func (m Mapper) past(t time.Time) bool { return m.Now == nil || !m.Now().Before(t) }

// current returns the belief that the last version says.
func (m Mapper) current(id string, list []version) canon.Value {
	last := list[len(list)-1]
	said, ok := last.statedBelief()
	if !ok {
		return m.native(id, list)
	}
	v := withValue(id, said, last.value())
	v, _ = codec.Reconcile(v, expectedMembers(said), m.recordMembers(last, said))
	return withRequired(v, m.native(id, list))
}

// withRequired adds the members that every belief needs and a redaction removed. They come
// from the record; a lost key becomes one that says nothing.
func withRequired(v, native canon.Value) canon.Value {
	for _, name := range []string{"category", "confidence", "source", "status", "created_at"} {
		if !v.Has(name) {
			v = v.With(name, native.Get(name))
		}
	}
	if v.Get("key").Text() == "" {
		v = v.With("key", canon.String(WithheldKey(v.Get("id").Text())))
	}
	return v
}

// WithheldKey returns the key of a belief whose own key is withheld. Each belief has
// another.
func WithheldKey(belief string) string { return "withheld-" + IDFrom("withheld", belief)[:8] }

// withValue puts id and value back where exports have them.
func withValue(id string, said canon.Value, value string) canon.Value {
	o, text := make(object, 0, said.Len()+3), canon.String(value)
	o.add("id", canon.String(id))
	for _, member := range said.Members() {
		o.add(member.Name, member.Value)
		if member.Name == "key" {
			o.add("value", text)
		}
	}
	o.add("value", text) // stays in its place if it has one
	return o.value()
}

// recordMembers returns the members of a belief that its record repeats, where other
// formats may change them.
func (m Mapper) recordMembers(v version, said canon.Value) canon.Value {
	var o object
	if c := v.Lifecycle.Confidence; c != nil {
		o.add("confidence", canon.Number(*c))
	}
	if v.inherited {
		o.add("source", canon.String(string(nativeSource(v.Provenance))))
	}
	status := m.status(v.Record)
	if is(said.Get("status"), string(Archived)) && !v.Time.ValidTo.IsZero() {
		status = Archived
	}
	o.add("status", canon.String(string(status)))
	if days, ok := daysOf(v.Lifecycle.Decay); ok {
		o.add("stale_after_days", canon.Int(int64(days)))
	}
	return o.value()
}

// expectedMembers returns what recordMembers returns for an unchanged record of the belief.
func expectedMembers(said canon.Value) canon.Value {
	var o object
	if c, ok := confidenceIn(said); ok {
		o.add("confidence", canon.Number(c))
	}
	status := Active
	if is(said.Get("status"), string(Archived)) {
		status = Archived
	}
	o.add("status", canon.String(string(status)))
	if days, ok := wholeDays(said.Get("stale_after_days")); ok {
		o.add("stale_after_days", canon.Int(int64(days)))
	}
	return o.value()
}

// confidenceIn returns a belief's confidence if a record can hold it.
func confidenceIn(belief canon.Value) (float64, bool) {
	v := belief.Get("confidence")
	c := v.Float()
	return c, v.Type() == canon.TypeNumber && c >= 0 && c <= 1
}

// status returns a record's status as a belief.
func (m Mapper) status(r memory.Record) Status {
	switch {
	case r.Lifecycle.Status == memory.Tombstoned:
		return Deleted
	case r.Lifecycle.Status == memory.Candidate, len(r.SupersededBy) > 0, r.Kind == memory.Working:
		return Archived
	case !r.Time.ValidTo.IsZero() && m.past(r.Time.ValidTo):
		return Archived
	}
	return Active
}

// native returns the belief of a record without residue (docs/mapping.md, column "no
// residue").
func (m Mapper) native(id string, list []version) canon.Value {
	last := list[len(list)-1]
	b := Belief{
		ID: id, Category: nativeCategory(last.Kind), Key: last.key(), Text: last.value(),
		Confidence: nativeConfidence(last.Provenance), Source: nativeSource(last.Provenance),
		Status: m.status(last.Record), CreatedAt: firstKnown(list[0].Record), Tags: []string{},
	}
	if c := last.Lifecycle.Confidence; c != nil {
		b.Confidence = *c
	}
	if days, ok := daysOf(last.Lifecycle.Decay); ok {
		b.StaleAfter = &days
	}
	if last.Kind != memory.Semantic {
		b.Tags = append(b.Tags, "kind:"+string(last.Kind))
	}
	return b.fields()
}

// firstKnown returns when a record was first known.
func firstKnown(r memory.Record) time.Time {
	if !r.Time.Observed.IsZero() {
		return r.Time.Observed
	}
	return r.Time.Created
}

// tombstoneOf returns the tombstone of a belief (decision E-13). It keeps nothing of the
// content, and the key only if a belief stated one. Its deletion is the end of retention,
// unless the owner deleted it earlier.
func tombstoneOf(id string, list []version, end time.Time) canon.Value {
	last := list[len(list)-1]
	said, ok := last.statedBelief()
	if ok && is(said.Get("status"), string(Deleted)) {
		return withID(id, said)
	}
	b := Belief{
		ID: id, Category: nativeCategory(last.Kind), Key: goneKey, Source: nativeSource(last.Provenance), Status: Deleted,
		CreatedAt: firstKnown(list[0].Record), DeletedAt: last.Time.ValidTo,
	}
	if b.DeletedAt.IsZero() || !end.IsZero() && end.Before(b.DeletedAt) {
		b.DeletedAt = end
	}
	if ok {
		was := ReadBelief(said)
		b.Key, b.Category, b.Source = was.Key, was.Category, was.Source
		if !was.CreatedAt.IsZero() {
			b.CreatedAt = was.CreatedAt
		}
	}
	return b.fields()
}

// goneKey is the key of a tombstone for a belief without one.
const goneKey = "deleted"

// withID returns a received tombstone with its id.
func withID(id string, said canon.Value) canon.Value {
	return canon.Object(append([]canon.Member{{Name: "id", Value: canon.String(id)}}, said.Members()...)...)
}
