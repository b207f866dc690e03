package mapping

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// entityLinks is the links and vectors that name an entry.
type entityLinks struct {
	from, to []*aicf.Link // links that begin and end there, in the order of the file
	vectors  []*aicf.Embedding
	wanted   bool
	id       memory.ID // of its record; empty: nothing has the name
	last     int       // number of the last draft with the name, which counts
	since    time.Time // when it began to hold; zero: unknown
}

// linksByName are the links and vectors by name.
type linksByName map[string]*entityLinks

func (t linksByName) at(name string) *entityLinks {
	if t[name] == nil {
		t[name] = &entityLinks{wanted: true}
	}
	return t[name]
}

// mostVectors bounds, in bytes, the vectors held until their entries come.
const mostVectors = 32 << 20

// note records the links and vectors of an entry; false: there is no room.
func (t linksByName) note(e aicf.Entry, vectors *int) bool {
	switch e := e.(type) {
	case *aicf.Link:
		if e.From != "" && e.To != "" {
			t.at(e.From).from = append(t.at(e.From).from, e)
			t.at(e.To).to = append(t.at(e.To).to, e)
		}
	case *aicf.Embedding:
		if *vectors += len(e.Raw); *vectors > mostVectors {
			return false
		}
		t.at(e.Entity).vectors = append(t.at(e.Entity).vectors, e)
	case *aicf.Consolidation:
		for _, source := range e.SourceItems {
			t.at(source)
		}
	}
	return true
}

// marks returns what distinguishes a record with these links from one without.
func (t *entityLinks) marks() []string {
	var marks []string
	for _, l := range t.from {
		marks = append(marks, "to", l.To, string(l.Type))
	}
	for _, l := range t.to {
		if l.Type == aicf.Supersedes {
			marks = append(marks, "superseded", l.From)
		}
	}
	for _, v := range t.vectors {
		marks = append(marks, "vector", v.Raw)
	}
	return marks
}

// target returns the record of a name, or an entity with that name.
func (t linksByName) target(name string) string {
	if known := t[name]; known != nil && known.id != "" {
		return string(known.id)
	}
	return entityPrefix + name
}

// bind adds a record's links and vectors.
func (t linksByName) bind(r memory.Record, own *entityLinks) memory.Record {
	told, old, successors := related(r), map[memory.ID]bool{}, map[memory.ID]bool{}
	for _, l := range own.from {
		to := t[l.To]
		if l.Type == aicf.Supersedes && to != nil && to.id != "" && to.id != own.id {
			r.Supersedes = appendNew(r.Supersedes, to.id, old)
			continue
		}
		if l.Type != "" {
			r.Relations = told.relate(r.Relations, memory.Relation{Type: string(l.Type), Target: t.target(l.To)})
		}
	}
	for _, l := range own.to {
		if from := t[l.From]; l.Type == aicf.Supersedes && from != nil && from.id != "" && from.id != own.id {
			r.SupersededBy = appendNew(r.SupersededBy, from.id, successors)
			r.Time.ValidTo = endedBy(r.Time, from.since)
		}
	}
	if len(own.vectors) > 0 {
		r = withVectors(r, own.vectors)
	}
	return r
}

// endedBy ends a validity when its successor's begins, but not before its own beginning.
func endedBy(t memory.Times, successor time.Time) time.Time {
	if successor.IsZero() || !t.ValidTo.IsZero() && t.ValidTo.Before(successor) {
		return t.ValidTo
	}
	if successor.Before(t.From()) {
		return t.From()
	}
	return successor
}

// appendNew adds an id unless it is known.
func appendNew(ids []memory.ID, id memory.ID, known map[memory.ID]bool) []memory.ID {
	if known[id] {
		return ids
	}
	known[id] = true
	return append(ids, id)
}

// relations is a set of a record's relations, which may be large.
type relations map[memory.Relation]bool

func related(r memory.Record) relations {
	known := relations{}
	for _, rel := range r.Relations {
		known[rel] = true
	}
	return known
}

// relate adds a relation unless the set has it.
func (known relations) relate(all []memory.Relation, add memory.Relation) []memory.Relation {
	if known[add] {
		return all
	}
	known[add] = true
	return append(all, add)
}

// derive relates a consolidation to its sources.
func (t linksByName) derive(r memory.Record, e aicf.Entry) memory.Record {
	c, ok := e.(*aicf.Consolidation)
	if !ok {
		return r
	}
	told := related(r)
	for _, source := range c.SourceItems {
		if source != "" {
			r.Relations = told.relate(r.Relations, memory.Relation{Type: memory.DerivedFrom, Target: t.target(source)})
		}
	}
	return r
}

// withVectors adds vectors to a record's structured body. The record is about their
// keywords.
func withVectors(r memory.Record, vectors []*aicf.Embedding) memory.Record {
	items := make([]canon.Value, 0, len(vectors))
	for _, v := range vectors {
		items = append(items, vectorValue(v))
		for _, keyword := range v.Keywords {
			r.Relations = about(r.Relations, keyword)
		}
	}
	s := codec.Structured(r)
	residue := s.Get(aicf.Name)
	r.Body.Structured = s.Without(aicf.Name).With("embedding", canon.Array(items...)).Append(nil)
	return codec.WithResidue(r, aicf.Name, residue)
}

func vectorValue(v *aicf.Embedding) canon.Value {
	var o object
	o.text("model", v.Model)
	if v.Dimension > 0 {
		o.count("dimension", &v.Dimension)
	}
	if v.Elided {
		o.put("elided", canon.Bool(true))
	} else {
		o.put("vector", numbersOf(v))
	}
	if !v.IndexedAt.IsZero() {
		o.text("indexed_at", aicf.FormatInstant(v.IndexedAt.Time))
	}
	if n, ok := v.Threshold(); ok {
		o.put("similarity_threshold", canon.Number(n))
	}
	return o.value()
}

// numbersOf returns a vector as numbers, or as spelled if it is none.
func numbersOf(v *aicf.Embedding) canon.Value {
	floats, ok := v.Floats()
	if !ok {
		return canon.String(strings.TrimSpace(v.Vector))
	}
	items := make([]canon.Value, len(floats))
	for i, f := range floats {
		items[i] = canon.Number(f)
	}
	return canon.Array(items...)
}
