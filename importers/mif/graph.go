package mif

import (
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

const graphPointer = "/knowledge_graph"

// graph yields the records of the knowledge graph: first its entities, whose names the
// relationships need, then those.
func (d *document) graph(yield func(memory.Record, error) bool) {
	lists, err := d.graphLists()
	if err != nil {
		yield(memory.Record{}, err)
		return
	}
	for _, of := range []struct {
		name string
		read func(*codec.Checker) []memory.Record
	}{{"entities", d.entity}, {"relationships", d.relationship}} {
		if p, ok := lists[of.name]; ok && !d.Each(d.Items(p.At, graphPointer+"/"+of.name), of.read, yield) {
			return
		}
	}
}

// graphLists finds the lists of the graph.
func (d *document) graphLists() (map[string]canon.Part, error) {
	graph, ok := d.parts["knowledge_graph"]
	if !ok {
		return nil, nil
	}
	parts, ok, err := rules.Members(d.JSONReader.Text, graph.At)
	if err != nil {
		return nil, err
	}
	if c, err := d.JSONReader.Text.Opening(graph.At); !ok && c != 'n' {
		return nil, errors.Join(err, rules.Violation(ruleGraph, graphPointer, errors.New("an object is wanted")))
	}
	lists := map[string]canon.Part{}
	for _, p := range parts {
		pointer := graphPointer + canon.Pointer(p.Name)
		if p.Name != "entities" && p.Name != "relationships" {
			d.Lose(pointer, lossMember)
			continue
		}
		isList, err := d.List(ruleGraph, pointer, p.At)
		if err != nil {
			return nil, err
		}
		if isList {
			lists[p.Name] = p
		}
	}
	return lists, nil
}

// entity makes a record of an entity of the graph.
func (d *document) entity(c *codec.Checker) []memory.Record {
	if !c.IsObject(ruleGraph) {
		return nil
	}
	id, name, summary := c.Required(ruleGraph, "id"), c.Required(ruleGraph, "name"), c.Prose(ruleGraph, "summary")
	types := slices.DeleteFunc(c.Names(ruleGraph, "types"), func(t string) bool { return strings.TrimSpace(t) == "" })
	text := name
	if strings.TrimSpace(summary) != "" {
		text += ": " + summary
	} else if len(types) > 0 {
		text += " (" + strings.Join(types, ", ") + ")"
	}
	r := d.Draft(memory.Semantic, text, d.provider, "entity/"+id)
	r.Time.Created = c.Date(c.Instant(ruleGraph, "created_at"))
	if seen := c.Instant(ruleGraph, "last_seen_at"); seen.After(r.Time.Created) {
		r.Time.Observed = seen
	}
	codec.About(&r, name)
	d.once(c, ruleGraph, r.Provenance.Source.Ref)
	d.names[id] = name
	return []memory.Record{codec.WithResidue(r, formatName, c.Value.Without("summary"))}
}

// relationship makes a record of a relationship of the graph.
func (d *document) relationship(c *codec.Checker) []memory.Record {
	if !c.IsObject(ruleGraph) {
		return nil
	}
	id, relation, context := c.Required(ruleGraph, "id"), c.Required(ruleGraph, "relation_type"), c.Prose(ruleGraph, "context")
	from, there := d.names[c.Required(ruleGraph, "source_entity_id")]
	to, too := d.names[c.Required(ruleGraph, "target_entity_id")]
	text := from + " " + relation + " " + to
	if strings.TrimSpace(context) != "" {
		text += ": " + context
	}
	r := d.Draft(memory.Semantic, text, d.provider, "relationship/"+id)
	r.Time.Created = c.Date(c.Instant(ruleGraph, "created_at"))
	r.Time.ValidTo = c.Instant(ruleGraph, "invalidated_at")
	d.once(c, ruleGraph, r.Provenance.Source.Ref)
	if !there || !too {
		c.Drop("", lossEnd)
		return nil
	}
	codec.About(&r, from, to)
	return []memory.Record{codec.WithResidue(r, formatName, c.Value.Without("context"))}
}
