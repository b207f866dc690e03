package aimem

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// graphBuilder builds the edges, entities and links of a bundle from manifests and
// relations (mapping section 2.3).
type graphBuilder struct {
	b       *recordBrain
	ids     map[URN]memory.ID // of what is emitted; "" for a further part
	names   map[memory.ID]URN
	renamed map[URN]URN // names in manifests that are others now

	edges    []Edge // of manifests
	links    []Link
	keepEdge []bool
	keepLink []bool
	from     map[URN][]int // edges, by source
	of       map[URN][]int // links, by chunk

	entities map[URN]string // names of the entities so far
	named    map[string]int // entities by name
	derived  []Edge
	added    []Link
}

func newGraphBuilder(b *recordBrain, kept manifests) *graphBuilder {
	g := &graphBuilder{
		b: b, ids: map[URN]memory.ID{}, names: map[memory.ID]URN{}, renamed: map[URN]URN{},
		from: map[URN][]int{}, of: map[URN][]int{}, entities: map[URN]string{}, named: map[string]int{},
	}
	for _, e := range b.from.entries {
		if !e.live {
			continue
		}
		g.ids[e.name], g.names[e.id] = e.id, e.name
		for n := 2; n <= e.parts; n++ {
			g.ids[partURN(e.name, n)] = ""
		}
		if e.origin != "" && e.origin != e.name && e.name == b.mapper.Alias(e.origin) {
			g.renamed[e.origin] = e.name
		}
	}
	for _, m := range kept {
		g.addManifest(m)
	}
	g.keepEdge, g.keepLink = make([]bool, len(g.edges)), make([]bool, len(g.links))
	return g
}

// addManifest adds the edges, entities and links of a manifest.
func (g *graphBuilder) addManifest(m *manifest) {
	foreign := m != g.b.manifest
	for _, e := range m.entities {
		if foreign && namespaceOf(e.ID) != g.b.mapper.Namespace {
			g.renamed[e.ID] = g.b.mapper.Alias(e.ID)
			e = e.WithURN(g.renamed[e.ID])
		}
		g.entity(e)
	}
	for _, e := range m.edges {
		e = g.renameEdge(e)
		g.from[e.Source] = append(g.from[e.Source], len(g.edges))
		g.edges = append(g.edges, e)
	}
	for _, l := range m.links {
		l = g.renameLink(l)
		g.of[l.Chunk] = append(g.of[l.Chunk], len(g.links))
		g.links = append(g.links, l)
	}
	m.entities, m.edges, m.links = nil, nil, nil // they are not held twice
}

func (g *graphBuilder) entity(e Entity) {
	if _, twice := g.entities[e.ID]; twice {
		return
	}
	g.entities[e.ID] = e.Name
	if _, known := g.named[e.Name]; !known {
		g.named[e.Name] = len(g.b.entities)
	}
	g.b.entities = append(g.b.entities, e)
}

func (g *graphBuilder) renameEdge(e Edge) Edge {
	v := g.rename(g.rename(e.value(), "source_id"), "target_id")
	return edgeFrom(v)
}

func (g *graphBuilder) renameLink(l Link) Link {
	v := g.rename(g.rename(l.value(), "chunk_id"), "entity_id")
	return linkFrom(v)
}

func (g *graphBuilder) rename(v canon.Value, member string) canon.Value {
	if name, ok := g.renamed[URN(v.Get(member).Text())]; ok {
		return v.With(member, canon.String(string(name)))
	}
	return v
}

// add makes the chunks of one record, and its edges and links.
func (g *graphBuilder) add(e entry) error {
	r, err := g.b.from.record(e)
	if err != nil {
		return err
	}
	said, err := g.connect(r, e)
	if err != nil {
		return err
	}
	chunks, losses, err := g.b.mapper.Chunks(r, e.name, said)
	if err != nil {
		return err
	}
	g.b.from.losses = append(g.b.from.losses, losses...)
	for _, c := range chunks {
		at, err := g.b.spool.put(c.Value.Append(nil))
		if err != nil {
			return err
		}
		g.b.chunks = append(g.b.chunks, at)
	}
	return nil
}

// addBeside makes the edges and links of one record, and no chunks.
func (g *graphBuilder) addBeside(e entry) error {
	r, err := g.b.from.record(e)
	if err == nil {
		_, err = g.connect(r, e)
	}
	return err
}

// connect adds the edges and links of one record, and returns the relations that they
// express.
func (g *graphBuilder) connect(r memory.Record, e entry) ([]memory.Relation, error) {
	has := map[memory.Relation]bool{}
	for _, way := range edgeRelations(r) {
		has[way] = true
	}
	for _, rel := range r.Relations {
		has[rel] = true
	}
	full := !isFromChunk(r) || len(r.Relations) >= maxRelations
	said := relationSet{seen: map[memory.Relation]bool{}}
	covered := g.keepEdges(e, func(way memory.Relation) bool { return full || has[way] }, &said)
	edges, err := g.b.mapper.Edges(r, partChunks(e), func(id memory.ID) (URN, error) { return g.names[id], nil })
	if err != nil {
		return nil, err
	}
	for _, d := range edges {
		if at := (memory.Relation{Type: d.Type, Target: string(d.Target)}); !covered[at] {
			g.derived = append(g.derived, d)
			said.edge(d, g.ids[d.Target])
		}
	}
	mentioned := g.keepLinks(e, func(rel memory.Relation) bool { return full || has[rel] }, &said)
	g.addMentions(r, e, mentioned, &said)
	return said.relations, nil
}

// partChunks returns the chunks of a record with their ids alone, for the edges between
// them.
func partChunks(e entry) []Chunk {
	chunks := make([]Chunk, e.parts)
	for i := range chunks {
		chunks[i].ID = partURN(e.name, i+1)
	}
	return chunks
}

// keepEdges keeps the edges of manifests that are still valid.
func (g *graphBuilder) keepEdges(e entry, stands func(memory.Relation) bool, said *relationSet) map[memory.Relation]bool {
	covered := map[memory.Relation]bool{}
	for _, i := range g.from[e.name] {
		edge := g.edges[i]
		id, there := g.ids[edge.Target]
		if !there || id != "" && !stands(memory.Relation{Type: edge.Type, Target: string(id)}) {
			continue
		}
		g.keepEdge[i] = true
		covered[memory.Relation{Type: edge.Type, Target: string(edge.Target)}] = true
		said.edge(edge, id)
	}
	for n := 2; n <= e.parts; n++ { // no relation says these
		for _, i := range g.from[partURN(e.name, n)] {
			_, there := g.ids[g.edges[i].Target]
			g.keepEdge[i] = there && !g.edges[i].Joins()
		}
	}
	return covered
}

// keepLinks keeps the links of manifests that are still valid, and returns the names of
// their entities.
func (g *graphBuilder) keepLinks(e entry, stands func(memory.Relation) bool, said *relationSet) map[string]bool {
	mentioned := map[string]bool{}
	for _, i := range g.of[e.name] {
		name, there := g.entities[g.links[i].Entity]
		if !there || len(name) <= maxName && !stands(memory.Relation{Type: memory.About, Target: EntityTarget(name)}) {
			continue
		}
		g.keepLink[i] = true
		mentioned[name] = true
		said.link(name)
	}
	for n := 2; n <= e.parts; n++ {
		for _, i := range g.of[partURN(e.name, n)] {
			_, g.keepLink[i] = g.entities[g.links[i].Entity]
		}
	}
	return mentioned
}

// addMentions adds the links that only relations express, and their entities.
func (g *graphBuilder) addMentions(r memory.Record, e entry, mentioned map[string]bool, said *relationSet) {
	entities, links := g.b.mapper.Mentions(r, e.name)
	for i, entity := range entities {
		if mentioned[entity.Name] {
			continue
		}
		g.entity(entity)
		known := g.b.entities[g.named[entity.Name]]
		if g.b.mapper.IsDerived(known) && entity.CreatedAt < known.CreatedAt {
			g.b.entities[g.named[entity.Name]] = entity
		}
		l := Link{Chunk: links[i].Chunk, Entity: known.ID}
		l.Value = l.value()
		g.added = append(g.added, l)
		said.link(entity.Name)
	}
}

// finish puts edges and links in order: those of manifests, then the others.
func (g *graphBuilder) finish() {
	for i, e := range g.edges {
		if g.keepEdge[i] {
			g.b.edges = append(g.b.edges, e)
		}
	}
	for i, l := range g.links {
		if g.keepLink[i] {
			g.b.links = append(g.b.links, l)
		}
	}
	g.b.edges, g.b.links = append(g.b.edges, g.derived...), append(g.b.links, g.added...)
	g.b.env.Absent = slices.DeleteFunc(slices.Clone(g.b.env.Absent), func(name string) bool {
		return name == memberEdges && len(g.b.edges) > 0 || name == memberEntities && len(g.b.entities) > 0 ||
			name == memberLinks && len(g.b.links) > 0
	})
}
