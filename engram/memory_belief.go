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
func (m Mapper) belief(l Lineage) (Told, error) {
	if len(l.Versions) == 0 {
		return Told{}, &memory.Error{Kind: memory.InvalidRecord, Message: "a belief has at least one record"}
	}
	list := versions(l.Versions)
	last := list[len(list)-1]
	id := idOf(list, l.Root)
	if end, ok := m.Forms.Expiry(last.Record); last.gone() || ok && m.past(end) {
		return m.bury(Told{Belief: ReadBelief(tombstoneOf(id, list, end)), Losses: buried(l)}, l)
	}
	t := Told{Contexts: map[string]string{}, places: map[string]int{}}
	t.Belief = ReadBelief(m.current(id, list))
	t.history(id, list)
	t.proposals(id, list, l.Proposals)
	t.order()
	t.Losses = unsaid(list)
	if !m.Residue {
		return t, nil
	}
	return m.carry(t, l)
}

// idOf is the id that a version states, the newest first; it is the root's otherwise.
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

// past reports whether an instant has come.
func (m Mapper) past(t time.Time) bool { return m.Now == nil || !m.Now().Before(t) }

// current is the belief that the last version says.
func (m Mapper) current(id string, list []version) canon.Value {
	last := list[len(list)-1]
	said, ok := last.stated()
	if !ok {
		return m.native(id, list)
	}
	v := valued(id, said, last.value())
	v, _ = codec.Reconcile(v, shownAgain(said), m.shown(last, said))
	return completed(v, m.native(id, list))
}

// completed gives a belief that is told without some of what every belief has, as its
// owner redacts that, what a record says which states none; and a key that says
// nothing.
func completed(v, native canon.Value) canon.Value {
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

// WithheldKey is the key under which a belief is told without its own: another for each
// belief.
func WithheldKey(belief string) string { return "withheld-" + IDFrom("withheld", belief)[:8] }

// valued puts id and value back where exports have them.
func valued(id string, said canon.Value, value string) canon.Value {
	o, text := make(object, 0, said.Len()+3), canon.String(value)
	o.add("id", canon.String(id))
	for _, member := range said.Members() {
		o.add(member.Name, member.Value)
		if member.Name == "key" {
			o.add("value", text)
		}
	}
	o.add("value", text) // stays in its place, if it has one
	return o.value()
}

// shown is what of a belief shows in the members of its record, where other formats
// may change it.
func (m Mapper) shown(v version, said canon.Value) canon.Value {
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

// shownAgain is what would show in the record that is made of a belief.
func shownAgain(said canon.Value) canon.Value {
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

// confidenceIn returns the confidence of a belief, if a record can have it.
func confidenceIn(belief canon.Value) (float64, bool) {
	v := belief.Get("confidence")
	c := v.Float()
	return c, v.Type() == canon.TypeNumber && c >= 0 && c <= 1
}

// status is where a record stands, as a belief.
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

// native is the belief of a record that states none (mapping, column "no residue").
func (m Mapper) native(id string, list []version) canon.Value {
	last := list[len(list)-1]
	b := Belief{
		ID: id, Category: nativeCategory(last.Kind), Key: last.key(), Text: last.value(),
		Confidence: nativeConfidence(last.Provenance), Source: nativeSource(last.Provenance),
		Status: m.status(last.Record), CreatedAt: learned(list[0].Record), Tags: []string{},
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

// learned returns when a record was first known.
func learned(r memory.Record) time.Time {
	if !r.Time.Observed.IsZero() {
		return r.Time.Observed
	}
	return r.Time.Created
}

// tombstoneOf is what is left of a belief (decision E-13): nothing of its content, its
// key only where one was stated. It went at the end of its retention, unless it was
// deleted before.
func tombstoneOf(id string, list []version, end time.Time) canon.Value {
	last := list[len(list)-1]
	said, ok := last.stated()
	if ok && is(said.Get("status"), string(Deleted)) {
		return valuedTombstone(id, said)
	}
	b := Belief{
		ID: id, Category: nativeCategory(last.Kind), Key: goneKey, Source: nativeSource(last.Provenance), Status: Deleted,
		CreatedAt: learned(list[0].Record), DeletedAt: last.Time.ValidTo,
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

// goneKey is the key of a tombstone whose belief had none.
const goneKey = "deleted"

// valuedTombstone is a tombstone as it came in.
func valuedTombstone(id string, said canon.Value) canon.Value {
	return canon.Object(append([]canon.Member{{Name: "id", Value: canon.String(id)}}, said.Members()...)...)
}
