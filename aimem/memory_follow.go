package aimem

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// chunkGraph is what a bundle says about one chunk beside it.
type chunkGraph struct {
	edges    []Edge
	links    []Link
	entities []Entity // of links
	names    map[string]bool
	now      map[memory.Relation]bool // the edges as relations to the records that the bundle becomes
	born     map[memory.Relation]URN  // the edges as relations to the records that it was made from
}

// graphOf reads the edges and links of a chunk.
func (g *relationBuilder) graphOf(whole Chunk, around Graph) (*chunkGraph, error) {
	c := &chunkGraph{names: map[string]bool{}, now: map[memory.Relation]bool{}}
	err := around.EdgesFrom(whole.ID, func(e Edge) error {
		if e.Type != edgeContinues || !isJoint(e, whole) {
			c.edges = append(c.edges, e)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = around.LinksOf(whole.ID, func(l Link) error {
		e, err := around.Entity(l.Entity)
		c.links, c.entities = append(c.links, l), append(c.entities, e)
		c.names[e.Name] = true
		return err
	})
	return c, err
}

// follow makes a record that a chunk carries say what the bundle says: a relation goes
// when its edge or link was removed, and leads to what the target has become. A record
// that agrees stays as its author signed it. Edges that somebody added become relations
// of a record without a signature, and of one that was made from a chunk, which has a
// relation for each edge. Other records keep their signature, if anybody will see it, and
// the edges stand in the bundle alone.
func (m Mapper) follow(t *Conversion, c *chunkGraph, g *relationBuilder, around Graph) error {
	f := follower{m: m, t: t, c: c, g: g, around: around, author: m}
	f.author.Owner = t.author
	if err := f.readTargets(); err != nil {
		return err
	}
	kept, err := f.relations()
	if err != nil {
		return err
	}
	if !t.Restored {
		t.Record.Relations = kept
		return nil
	}
	earlier, err := f.supersedes()
	if err != nil {
		return err
	}
	if !f.gone && !f.added() {
		return nil
	}
	t.amended, t.unsigned = true, t.Record.Integrity != nil && !m.unsigned
	t.Record.Relations, t.Record.Supersedes, t.Record.Integrity = kept, earlier, nil
	return nil
}

// follower compares the relations of one record with the bundle around its chunk.
type follower struct {
	m      Mapper
	author Mapper // of the owner whose records the bundle was made from
	t      *Conversion
	c      *chunkGraph
	g      *relationBuilder
	around Graph
	gone   bool // something that the record says was removed
	said   map[memory.Relation]bool
	named  map[string]bool
}

// relations returns the relations that still hold.
func (f *follower) relations() ([]memory.Relation, error) {
	f.said, f.named = map[memory.Relation]bool{}, map[string]bool{}
	has := map[memory.Relation]bool{}
	var kept []memory.Relation
	for _, rel := range f.t.Record.Relations {
		name, isEntity := EntityName(rel)
		holds := true
		switch {
		case strings.HasPrefix(rel.Target, recordPrefix):
			now, err := f.target(EdgeType(rel.Type), memory.ID(rel.Target))
			if err != nil {
				return nil, err
			}
			rel.Target, holds = string(now), now != ""
		case isEntity && name != "":
			f.named[name] = true
			holds = f.c.names[name]
		}
		if holds && !(has[rel] && !f.t.Restored) {
			has[rel], kept = true, append(kept, rel)
		}
		f.gone = f.gone || !holds
	}
	return kept, nil
}

// supersedes returns the earlier versions that the record still replaces.
func (f *follower) supersedes() (kept []memory.ID, err error) {
	for _, id := range f.t.Record.Supersedes {
		now, err := f.target(edgeSupersedes, id)
		if err != nil {
			return nil, err
		}
		if now == "" {
			f.gone = true
			continue
		}
		kept = append(kept, id)
	}
	return kept, nil
}

// target returns the record that a relation leads to now; "" if there is none any more.
func (f *follower) target(kind string, was memory.ID) (memory.ID, error) {
	at := memory.Relation{Type: kind, Target: string(was)}
	if f.c.now[at] {
		f.said[at] = true
		return was, nil
	}
	if err := f.readOrigins(); err != nil {
		return "", err
	}
	own := f.m.Owner == f.author.Owner
	if urn, ok := f.c.born[at]; ok {
		now, err := f.g.id(urn)
		f.said[memory.Relation{Type: kind, Target: string(now)}] = true
		if now == "" && own {
			now = was
		}
		return now, err
	}
	stands, err := f.around.Stands(f.author, was)
	if stands || err != nil {
		return "", err
	}
	if !own {
		f.t.Outside = append(f.t.Outside, at)
		return "", nil
	}
	return was, nil
}

// readTargets reads which records the edges lead to.
func (f *follower) readTargets() error {
	for _, e := range f.c.edges {
		id, err := f.g.id(e.Target)
		if err != nil {
			return err
		}
		f.c.now[memory.Relation{Type: e.Type, Target: string(id)}] = true
	}
	return nil
}

// readOrigins reads which records the targets of the edges were made from.
func (f *follower) readOrigins() error {
	if f.c.born != nil {
		return nil
	}
	f.c.born = map[memory.Relation]URN{}
	for _, e := range f.c.edges {
		c, err := f.around.Chunk(e.Target)
		if err != nil {
			return err
		}
		id, err := f.author.origin(c, f.around)
		if err != nil {
			return err
		}
		f.c.born[memory.Relation{Type: e.Type, Target: string(id)}] = e.Target
	}
	return nil
}

// origin returns the record that a chunk was made from, or that it makes.
func (m Mapper) origin(c Chunk, around Graph) (memory.ID, error) {
	if _, ok := carriedRecord(c.Value); ok && c.CarriedID() != "" {
		return c.CarriedID(), nil
	}
	return m.RecordID(c, around)
}

// added reports whether an edge or a link has no relation, and the record takes one.
func (f *follower) added() bool {
	r := &f.t.Record
	if r.Integrity != nil && !f.m.unsigned && !isFromChunk(*r) || len(r.Relations) >= maxRelations {
		return false
	}
	for _, e := range f.c.edges {
		id := f.g.ids[e.Target]
		_, relates := RelationType(e.Type)
		if relates && id != "" && !f.said[memory.Relation{Type: e.Type, Target: string(id)}] {
			return true
		}
	}
	for name := range f.c.names {
		if !f.named[name] && len(name) <= maxName {
			return true
		}
	}
	return false
}

// isFromChunk reports whether a record was made from a chunk, so that it has a relation
// for each of the chunk's edges.
func isFromChunk(r memory.Record) bool {
	_, ok := codec.Residue(r, residueName)
	return ok && r.Provenance != nil && r.Provenance.Method == method
}

// originSet holds the records that the chunks of a bundle carry or make, by owner.
type originSet struct {
	owner memory.DID
	ids   map[idHash]bool
}

// Stands reports whether a chunk of the bundle stands for a record: the chunk carries the
// record, or it makes it.
func (b *Bundle) Stands(m Mapper, id memory.ID) (bool, error) {
	if b.origins == nil || b.origins.owner != m.Owner {
		s := &originSet{owner: m.Owner, ids: map[idHash]bool{}}
		err := b.Chunks(func(c Chunk) error {
			origin, err := m.origin(c, b)
			s.ids[hashID(URN(origin))] = true
			return err
		})
		if err != nil {
			return false, err
		}
		b.origins = s
	}
	return b.origins.ids[hashID(URN(id))], nil
}

// relationOf returns the relation that an edge becomes. The relations of a record that the
// chunk carries have the types that its author gave them.
func (g *relationBuilder) relationOf(e Edge, target memory.ID) (memory.Relation, bool) {
	if g.taken.author == "" {
		return memory.Relation{Type: e.Type, Target: string(target)}, true
	}
	kind, ok := RelationType(e.Type)
	return memory.Relation{Type: kind, Target: string(target)}, ok
}
