package mcpmemory

import (
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// provider is the system of these files.
const provider = "mcp-server-memory"

// pending returns the next record of the present item, if one is left.
func (r *reader) pending() (memory.Record, bool) {
	at := r.current.place
	if rel := r.current.relation; rel != nil {
		r.current.relation = nil
		return r.draft(rel.sentence(), at.pointer, rel.residue(), rel.From, rel.To), true
	}
	e := r.current.entity
	switch {
	case len(r.todo) > 0:
		i := r.todo[0]
		r.todo = r.todo[1:]
		text := e.Observations[i]
		record := r.draft(e.Name+": "+text, fmt.Sprintf("%s/observations/%d", at.pointer, i), e.residue(text), e.Name)
		e.Rest = nil // the first record carries them
		return record, true
	case r.bare:
		r.bare = false
		return r.draft(e.title(), at.pointer, e.residue(e.Observations...), e.Name), true
	}
	return memory.Record{}, false
}

// draft makes a record about the named entities.
func (r *reader) draft(text, pointer string, residue canon.Value, about ...string) memory.Record {
	record := memory.Record{
		Version: "0.1",
		Kind:    memory.Semantic,
		Body:    memory.Body{Text: text},
		Scope:   memory.Scope{Owner: r.opt.Owner, Project: r.opt.Project, Visibility: memory.Private},
		Time:    memory.Times{Created: r.when},
		Provenance: &memory.Provenance{
			Actor:     string(r.opt.Owner),
			ActorKind: memory.ByImport,
			Method:    formatName,
			Source:    &memory.Source{Provider: provider, Ref: r.name + "#" + pointer},
		},
	}
	record.Relations = abouts(about...)
	return codec.WithResidue(record, formatName, residue)
}

// abouts relates a record to entities.
func abouts(names ...string) (relations []memory.Relation) {
	for i, name := range names {
		if i == 0 || name != names[0] {
			relations = append(relations, memory.Relation{Type: memory.About, Target: "entity:" + name})
		}
	}
	return relations
}

// title names an entity without observations.
func (e *entity) title() string {
	if blank(e.Type) {
		return e.Name
	}
	return e.Name + " (" + e.Type + ")"
}

// sentence expresses a relation in words; the types are in active voice.
func (r *relation) sentence() string { return r.From + " " + r.Type + " " + r.To }

// residue returns the entity's line, with the given observations only.
func (e *entity) residue(observations ...string) canon.Value {
	items := make([]canon.Value, len(observations))
	for i, text := range observations {
		items[i] = canon.String(text)
	}
	return canon.Object(append([]canon.Member{
		{Name: "type", Value: canon.String("entity")},
		{Name: "name", Value: canon.String(e.Name)},
		{Name: "entityType", Value: canon.String(e.Type)},
		{Name: "observations", Value: canon.Array(items...)},
	}, e.Rest...)...)
}

// residue returns the relation's line.
func (r *relation) residue() canon.Value {
	return canon.Object(append([]canon.Member{
		{Name: "type", Value: canon.String("relation")},
		{Name: "from", Value: canon.String(r.From)},
		{Name: "to", Value: canon.String(r.To)},
		{Name: "relationType", Value: canon.String(r.Type)},
	}, r.Rest...)...)
}
