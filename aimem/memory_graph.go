package aimem

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

const (
	entityKind = edgePrefix + "entity" // of entities that records name
	// maxRelations and maxName keep records within what every reader of them takes.
	maxRelations = 9_000
	maxName      = 4_000
)

// maxRelationType is how long the type of an edge is at most, in bytes, for a relation to
// say it. A longer one is kept beside the record alone.
const maxRelationType = maxName

// relate gives t's record the relations that the chunk's edges and links show as,
// and gathers the edges and links that they do not say wholly. A record that was
// restored has its relations already, unless the bundle says otherwise.
func (m Mapper) relate(t *Conversion, around Graph, id func(URN) (memory.ID, error)) error {
	g := relationBuilder{taken: t, seen: map[memory.Relation]bool{}, ids: map[URN]memory.ID{}, resolve: id}
	c, err := g.graphOf(t.Chunk, around)
	if err != nil {
		return err
	}
	if t.author != "" {
		if err := m.follow(t, c, &g, around); err != nil {
			return err
		}
	}
	g.names = map[string]bool{}
	for _, r := range t.Record.Relations {
		g.seen[r] = true
		if name, ok := EntityName(r); ok && r.Type != memory.About {
			g.names[name] = true
		}
	}
	for _, e := range c.edges {
		if err := g.edge(e); err != nil {
			return err
		}
	}
	for i, l := range c.links {
		g.link(m, l, c.entities[i])
	}
	if t.Restored && !t.amended {
		return nil
	}
	return m.setRelations(t, g.relations)
}

// setRelations writes the record with relations and embedding, which its id does not
// depend on.
func (m Mapper) setRelations(t *Conversion, relations []memory.Relation) error {
	r := t.Record
	r.Relations = append(r.Relations[:len(r.Relations):len(r.Relations)], relations...)
	r = m.withEmbedding(r, t.Embedding)
	if len(relations) == 0 && t.Embedding == "" && t.author == "" {
		return nil
	}
	var err error
	t.Record, err = m.Forms.Author(r)
	return err
}

// relationBuilder collects the relations, edges and links of one chunk.
type relationBuilder struct {
	taken     *Conversion
	relations []memory.Relation
	seen      map[memory.Relation]bool
	ids       map[URN]memory.ID
	names     map[string]bool // of entities that relations of another type than about name
	resolve   func(URN) (memory.ID, error)
}

func (g *relationBuilder) id(target URN) (memory.ID, error) {
	if id, ok := g.ids[target]; ok {
		return id, nil
	}
	id, err := g.resolve(target)
	g.ids[target] = id
	return id, err
}

func (g *relationBuilder) edge(e Edge) error {
	target, err := g.id(e.Target)
	if err != nil {
		return err
	}
	if target == "" || !g.isWholly(e, target) {
		g.taken.Edges = append(g.taken.Edges, e)
	}
	return nil
}

// isWholly notes the relation that an edge shows as, and reports whether it says the
// edge wholly.
func (g *relationBuilder) isWholly(e Edge, target memory.ID) bool {
	r := &g.taken.Record
	whole := canon.Identical(e.value(), edgeBetween(e.Source, e.Target, e.Type, *r).value())
	if e.Type == edgeSupersedes {
		for _, id := range r.Supersedes {
			if id == target {
				return whole
			}
		}
	}
	for _, have := range r.Relations {
		if have.Target == string(target) && EdgeType(have.Type) == e.Type {
			return whole
		}
	}
	if !g.takes() {
		return false
	}
	rel, ok := g.relationOf(e, target)
	return ok && g.relation(rel) && whole
}

// takes reports whether the record may get relations.
func (g *relationBuilder) takes() bool { return !g.taken.Restored || g.taken.amended }

// relation adds a relation once, and reports whether the record has it.
func (g *relationBuilder) relation(r memory.Relation) bool {
	if !g.seen[r] {
		if len(g.seen) >= maxRelations || len(r.Type) > maxRelationType {
			return false
		}
		g.seen[r] = true
		g.relations = append(g.relations, r)
	}
	return true
}

func (g *relationBuilder) link(m Mapper, l Link, e Entity) {
	r := memory.Relation{Type: memory.About, Target: EntityTarget(e.Name)}
	said := len(e.Name) <= maxName && (g.seen[r] || g.takes() && !g.names[e.Name] && g.relation(r))
	if !said || !m.IsDerived(e) || l.value().Len() != 2 {
		g.taken.Links = append(g.taken.Links, l)
	}
}

// isJoint reports whether an edge joins the first two parts of a chunk's text.
func isJoint(e Edge, whole Chunk) bool {
	return len(whole.Content) > MaxContent && e.Source == whole.ID && e.Target == partURN(whole.ID, 2)
}

// edgeBetween is the edge that a relation of r gives.
func edgeBetween(source, target URN, kind string, r memory.Record) Edge {
	return edgeFrom(object{
		{Name: "source_id", Value: canon.String(string(source))},
		{Name: "target_id", Value: canon.String(string(target))},
		{Name: "edge_type", Value: canon.String(kind)},
		{Name: "weight", Value: canon.Int(1)},
		{Name: "created_at", Value: canon.String(FormatInstant(r.Time.Created))},
	}.value())
}

// Edges returns the edges that a record's relations and supersedes give, in their
// order, after those that join the given chunks of it. urn names the chunk that a
// record leaves as, and returns "" where it does not leave: then there is no edge.
func (m Mapper) Edges(r memory.Record, chunks []Chunk, urn func(memory.ID) (URN, error)) ([]Edge, error) {
	var edges []Edge
	for i := 1; i < len(chunks); i++ {
		edges = append(edges, edgeBetween(chunks[i-1].ID, chunks[i].ID, edgeContinues, r))
	}
	seen := map[memory.Relation]bool{}
	for _, way := range edgeRelations(r) {
		if seen[way] {
			continue
		}
		seen[way] = true
		target, err := urn(memory.ID(way.Target))
		if err != nil {
			return nil, err
		}
		if target != "" {
			edges = append(edges, edgeBetween(chunks[0].ID, target, way.Type, r))
		}
	}
	return edges, nil
}

// edgeRelations returns the relations of a record that become edges: its relations to
// records, with the type of the edge, and the records that it supersedes.
func edgeRelations(r memory.Record) []memory.Relation {
	var list []memory.Relation
	for _, rel := range r.Relations {
		if strings.HasPrefix(rel.Target, recordPrefix) {
			list = append(list, memory.Relation{Type: EdgeType(rel.Type), Target: rel.Target})
		}
	}
	for _, id := range r.Supersedes {
		list = append(list, memory.Relation{Type: edgeSupersedes, Target: string(id)})
	}
	return list
}

// Mentions returns the entities that a record's relations name, once each, and its
// links to them. The entity of a name is the same whatever record names it, but for
// its created_at, which is the record's: the earliest counts.
func (m Mapper) Mentions(r memory.Record, chunk URN) ([]Entity, []Link) {
	var entities []Entity
	var links []Link
	seen := map[string]bool{}
	for _, rel := range r.Relations {
		name, ok := EntityName(rel)
		if !ok || name == "" || seen[name] {
			continue
		}
		seen[name] = true
		e := Entity{ID: m.EntityURN(name), Name: name, Kind: entityKind, CreatedAt: FormatInstant(r.Time.Created)}
		e.Value = e.value()
		l := Link{Chunk: chunk, Entity: e.ID}
		l.Value = l.value()
		entities, links = append(entities, e), append(links, l)
	}
	return entities, links
}

// relationSet collects the relations that edges and links become when they are read.
type relationSet struct {
	relations []memory.Relation
	seen      map[memory.Relation]bool
}

func (s *relationSet) edge(e Edge, id memory.ID) {
	if id != "" && strings.HasPrefix(string(id), recordPrefix) {
		s.add(memory.Relation{Type: e.Type, Target: string(id)})
	}
}

func (s *relationSet) link(name string) {
	if len(name) <= maxName {
		s.add(memory.Relation{Type: memory.About, Target: EntityTarget(name)})
	}
}

func (s *relationSet) add(r memory.Relation) {
	if !s.seen[r] && len(s.seen) < maxRelations {
		s.seen[r] = true
		s.relations = append(s.relations, r)
	}
}
