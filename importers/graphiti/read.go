package graphiti

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON  = "GRAPHITI-1"
	ruleItem  = "GRAPHITI-2"
	ruleEdge  = "GRAPHITI-3"
	ruleNode  = "GRAPHITI-4"
	ruleDate  = "GRAPHITI-5"
	ruleLimit = "GRAPHITI-6"
	ruleDraft = "GRAPHITI-7"
)

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// listOf recognises the lists of a document by their names, and says which of them hold
// communities.
func listOf(name string) (community, ok bool) {
	switch name {
	case "nodes", "entity_nodes", "edges", "entity_edges", "facts", "episodes", "episodic_nodes", "messages":
		return false, true
	case "communities", "community_nodes":
		return true, true
	}
	return false, false
}

// list is a list of the document.
type list struct {
	pointer   string
	at        canon.Extent
	community bool
}

// document is an opened document.
type document struct {
	*codec.JSONReader
	lists []list
	names map[string]string // of nodes, by uuid
	seen  codec.TextSet     // references of the records so far
}

// newDocument reads the parts that concern the whole document.
func newDocument(src codec.Source, opt codec.Options) (*document, error) {
	in, err := rules.JSONReader(src, opt, ruleDraft)
	d := &document{JSONReader: in, names: map[string]string{}, seen: codec.TextSet{}}
	if err != nil {
		return d, err
	}
	if err := d.outline(); err != nil {
		return d, err
	}
	for _, l := range d.lists {
		if err := d.name(l); err != nil {
			return d, err
		}
	}
	return d, nil
}

// outline finds the lists (GRAPHITI-1).
func (d *document) outline() error {
	root := d.Text.Root()
	if c, err := d.Text.Opening(root); err != nil || c == '[' {
		d.lists = []list{{at: root}}
		return err
	}
	parts, err := d.Members(ruleJSON)
	if err != nil {
		return err
	}
	for _, p := range parts {
		pointer := canon.Pointer(p.Name)
		community, ok := listOf(p.Name)
		if !ok {
			d.Lose(pointer, lossMember)
			continue
		}
		if ok, err = d.List(ruleJSON, pointer, p.At); err != nil {
			return err
		}
		if ok {
			d.lists = append(d.lists, list{pointer, p.At, community})
		}
	}
	if len(d.lists) == 0 {
		return rules.Violation(ruleJSON, "", errors.New("has no nodes, edges or episodes"))
	}
	return nil
}

// name records the names of a list's nodes, which edges before the list need. It reports no
// faults of nodes; the walk does.
func (d *document) name(l list) error {
	for it, err := range d.Items(l.at, l.pointer) {
		if _, ok := errors.AsType[*codec.ParseError](err); ok {
			continue
		}
		if err != nil {
			return err
		}
		if name := it.Value.Get("name").Text(); shape(it.Value) == aNode && len(name) <= d.Options.Limits.Name {
			d.names[uuidOf(it.Value)] = name
		}
	}
	return nil
}

// Walk yields the records of all lists.
func (d *document) Walk(yield func(memory.Record, error) bool) {
	for _, l := range d.lists {
		read := func(c *codec.Checker) []memory.Record { return d.item(c, l.community) }
		if !d.Each(d.Items(l.at, l.pointer), read, yield) {
			return
		}
	}
}

// item makes a record of an item of any kind (GRAPHITI-2).
func (d *document) item(c *codec.Checker, community bool) []memory.Record {
	if !c.IsObject(ruleItem) {
		return nil
	}
	of := shape(c.Value)
	switch of {
	case aLink:
		c.Drop("", lossLink)
		return nil
	case nothing:
		c.Fault(ruleItem, "", errors.New("neither a fact, nor an episode, nor an entity"))
		return nil
	}
	id := c.Required(ruleItem, uuidMember(c.Value))
	var r memory.Record
	var ok bool
	switch of {
	case anEdge:
		r, ok = d.edge(c, "edge/"+id)
	case anEpisode:
		r, ok = d.episode(c, "episode/"+id)
	case aNode:
		r, ok = d.node(c, id, community)
	}
	if ref := r.Provenance.Source.Ref; ok {
		if ok = d.seen.Add(ref); !ok {
			c.Drop("", lossTwice)
		}
	}
	if !ok {
		return nil
	}
	return []memory.Record{d.withRest(c, r)}
}
