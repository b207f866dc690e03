package mapping

import (
	"crypto/sha256"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/memory"
)

// calls are the names of pieces by their content, in the order of the file.
type calls map[[sha256.Size]byte][]string

func callsOf(c *aicf.Contents) (calls, *aicf.Index) {
	all, index := calls{}, c.Index()
	for _, e := range c.Entries {
		if makesRecords(e) {
			for _, p := range piecesOf(e, index.Name(e)).pieces {
				all[p.digest()] = append(all[p.digest()], p.call())
			}
		}
	}
	return all, index
}

// carry adds the records themselves, each beside the piece that says the same.
func (x *export) carry(records []memory.Record) map[memory.ID]string {
	named, _ := callsOf(x.contents)
	names := map[memory.ID]string{}
	for _, r := range records {
		entity := ""
		if p, ok := newPiece(r); ok {
			for _, says := range p.digests(r) {
				if free := named[says]; len(free) > 0 && entity == "" {
					entity, named[says] = free[0], free[1:]
				}
			}
		}
		names[r.ID] = entity
	}
	x.links(records, names)
	for _, r := range records {
		x.contents.Entries = append(x.contents.Entries, &aicf.Carried{ID: short(r.ID), Entity: names[r.ID], Record: string(r.Form())})
	}
	return names
}

// links adds the relations between records.
func (x *export) links(records []memory.Record, names map[memory.ID]string) {
	there := map[[3]string]bool{}
	for _, e := range x.contents.Entries {
		if l, ok := e.(*aicf.Link); ok {
			there[[3]string{l.From, l.To, string(l.Type)}] = true
		}
	}
	index := x.contents.Index()
	link := func(from, to memory.ID, kind aicf.Word) {
		l := &aicf.Link{From: names[from], To: names[to], Type: kind}
		key := [3]string{l.From, l.To, string(kind)}
		if from == to || there[key] || !linkable(index, l.From) || !linkable(index, l.To) {
			return
		}
		there[key] = true
		x.contents.Entries = append(x.contents.Entries, l)
	}
	for _, r := range records {
		for _, old := range r.Supersedes {
			link(r.ID, old, aicf.Supersedes)
		}
		for _, rel := range r.Relations {
			if rel.Type == memory.DerivedFrom && residueOf(r).Has(residueSection) {
				continue // its place or its sources say so
			}
			link(r.ID, memory.ID(rel.Target), linkTypeOf(rel.Type))
		}
	}
}

// linkTypeOf returns the link type of a relation.
func linkTypeOf(relation string) aicf.Word {
	if w := aicf.Word(relation); w != aicf.Supersedes && aicf.Relationships().Has(w) {
		return w
	}
	return aicf.RelatedTo
}

// linkable reports whether a link can name an entry so.
func linkable(index *aicf.Index, name string) bool {
	_, ok := index.Resolve(name)
	return ok && aicf.Linkable(name)
}
