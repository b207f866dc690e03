package aicf

import (
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// tie is what other entries say of one that they name: links and vectors.
type tie struct {
	from, to []*Link // that begin and end there, in the order of the file
	vectors  []*Embedding
	wanted   bool
	id       memory.ID // of its record; empty: nothing has the name
	last     int       // which draft it is: of several with the name the last
	since    time.Time // from when on it holds; zero: nothing dates it
}

// ties are all ties by name.
type ties map[string]*tie

func (t ties) at(name string) *tie {
	if t[name] == nil {
		t[name] = &tie{wanted: true}
	}
	return t[name]
}

// mostVectors bounds, in bytes, the vectors that are held until their entries come.
const mostVectors = 32 << 20

// note takes down what an entry says of others; false: there is no room for it.
func (t ties) note(e Entry, vectors *int) bool {
	switch e := e.(type) {
	case *Link:
		if e.From != "" && e.To != "" {
			t.at(e.From).from = append(t.at(e.From).from, e)
			t.at(e.To).to = append(t.at(e.To).to, e)
		}
	case *Embedding:
		if *vectors += len(e.Raw); *vectors > mostVectors {
			return false
		}
		t.at(e.Entity).vectors = append(t.at(e.Entity).vectors, e)
	case *Consolidation:
		for _, source := range e.SourceItems {
			t.at(source)
		}
	}
	return true
}

// marks returns what makes a record with these ties another than one without.
func (t *tie) marks() []string {
	var marks []string
	for _, l := range t.from {
		marks = append(marks, "to", l.To, string(l.Type))
	}
	for _, l := range t.to {
		if l.Type == Supersedes {
			marks = append(marks, "superseded", l.From)
		}
	}
	for _, v := range t.vectors {
		marks = append(marks, "vector", v.Raw)
	}
	return marks
}

// target returns the record of a name, or a thing with that name.
func (t ties) target(name string) string {
	if known := t[name]; known != nil && known.id != "" {
		return string(known.id)
	}
	return entityPrefix + name
}

// bind gives a record what its ties say.
func (t ties) bind(r memory.Record, own *tie) memory.Record {
	told, old, successors := related(r), map[memory.ID]bool{}, map[memory.ID]bool{}
	for _, l := range own.from {
		to := t[l.To]
		if l.Type == Supersedes && to != nil && to.id != "" && to.id != own.id {
			r.Supersedes = appendNew(r.Supersedes, to.id, old)
			continue
		}
		if l.Type != "" {
			r.Relations = told.relate(r.Relations, memory.Relation{Type: string(l.Type), Target: t.target(l.To)})
		}
	}
	for _, l := range own.to {
		if from := t[l.From]; l.Type == Supersedes && from != nil && from.id != "" && from.id != own.id {
			r.SupersededBy = appendNew(r.SupersededBy, from.id, successors)
			r.Time.ValidTo = endedBy(r.Time, from.since)
		}
	}
	if len(own.vectors) > 0 {
		r = withVectors(r, own.vectors)
	}
	return r
}

// endedBy ends a validity when a successor's begins, but not before it began itself.
func endedBy(t memory.Times, successor time.Time) time.Time {
	if successor.IsZero() || !t.ValidTo.IsZero() && t.ValidTo.Before(successor) {
		return t.ValidTo
	}
	if successor.Before(t.From()) {
		return t.From()
	}
	return successor
}

// appendNew adds an id unless it is among those that are known.
func appendNew(ids []memory.ID, id memory.ID, known map[memory.ID]bool) []memory.ID {
	if known[id] {
		return ids
	}
	known[id] = true
	return append(ids, id)
}

// relations are those that a record has: there may be very many.
type relations map[memory.Relation]bool

func related(r memory.Record) relations {
	known := relations{}
	for _, rel := range r.Relations {
		known[rel] = true
	}
	return known
}

// relate adds a relation unless it is there.
func (known relations) relate(all []memory.Relation, add memory.Relation) []memory.Relation {
	if known[add] {
		return all
	}
	known[add] = true
	return append(all, add)
}

// derive relates a consolidation to what it was made from.
func (t ties) derive(r memory.Record, e Entry) memory.Record {
	c, ok := e.(*Consolidation)
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

// withVectors puts vectors where machines find them. Their keywords are what the record
// is about.
func withVectors(r memory.Record, vectors []*Embedding) memory.Record {
	items := make([]canon.Value, 0, len(vectors))
	for _, v := range vectors {
		items = append(items, vectorValue(v))
		for _, keyword := range v.Keywords {
			r.Relations = about(r.Relations, keyword)
		}
	}
	s := codec.Structured(r)
	residue := s.Get(formatName)
	r.Body.Structured = s.Without(formatName).With("embedding", canon.Array(items...)).Append(nil)
	return codec.WithResidue(r, formatName, residue)
}

func vectorValue(v *Embedding) canon.Value {
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
		o.text("indexed_at", formatStamp(v.IndexedAt.Time))
	}
	if n, err := strconv.ParseFloat(v.SimilarityThreshold, 64); err == nil && decimal(v.SimilarityThreshold) {
		o.put("similarity_threshold", canon.Number(n))
	}
	return o.value()
}

// numbersOf returns the vector as numbers, or as it is spelled where it is none.
func numbersOf(v *Embedding) canon.Value {
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
