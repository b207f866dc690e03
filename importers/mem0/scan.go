package mem0

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// relations is the member that holds the graph.
const relations = "relations"

// mostRest bounds the kept data of the document beside its lists.
const mostRest = 64 << 10

// document is an opened document.
type document struct {
	*codec.JSONReader
	name      string       // of the file
	list      string       // the pointer of the list of memories
	memories  canon.Extent // of the list
	relations canon.Extent // of that list; empty: there is none
	whole     canon.Value  // the document without the content of the lists
	first     bool         // no record has been made
}

// newDocument reads the parts that concern the whole document.
func newDocument(src codec.Source, opt codec.Options) (*document, error) {
	in, err := rules.JSONReader(src, opt, ruleDraft)
	d := &document{JSONReader: in, name: src.Name, first: true}
	if err != nil {
		return d, err
	}
	return d, d.outline()
}

// outline finds the lists (MEM0-1).
func (d *document) outline() error {
	root := d.Text.Root()
	c, err := d.Text.Opening(root)
	if err != nil {
		return err
	}
	if c == '[' {
		d.memories, d.whole = root, canon.Array()
		return nil
	}
	parts, err := d.Members(ruleJSON)
	if err != nil {
		return err
	}
	return d.take(parts)
}

func isListName(name string) bool {
	return slices.Contains([]string{"results", "memories", "items"}, name)
}

// take finds the lists among the members of the document.
func (d *document) take(parts []canon.Part) error {
	members := make([]canon.Member, 0, len(parts))
	room := int64(mostRest)
	for _, p := range parts {
		c, err := d.Text.Opening(p.At)
		if err != nil {
			return err
		}
		m := canon.Member{Name: p.Name, Value: canon.Array()}
		switch isList := c == '['; {
		case isList && isListName(p.Name):
			if d.list != "" {
				return rules.Violation(ruleJSON, canon.Pointer(p.Name), errors.New("a second list of memories; put all into one"))
			}
			d.list, d.memories = canon.Pointer(p.Name), p.At
		case isList && p.Name == relations:
			d.relations = p.At
		default:
			if m.Value, err = d.rest(p, &room); err != nil {
				return err
			}
		}
		members = append(members, m)
	}
	if d.list == "" {
		return rules.Violation(ruleJSON, "", errors.New(`has no list called "results", "memories" or "items"`))
	}
	d.whole = canon.Object(members...)
	return nil
}

// rest reads a member without memories, if it is short enough to keep.
func (d *document) rest(p canon.Part, room *int64) (canon.Value, error) {
	if *room -= p.At.Len() + int64(len(p.Name)); !d.Options.Apart && *room >= 0 {
		v, ok, err := d.Short(p.At)
		if ok || err != nil {
			return v, err
		}
	}
	d.Lose(canon.Pointer(p.Name), lossDocument)
	return canon.Value{}, nil
}

// Walk yields the records of both lists.
func (d *document) Walk(yield func(memory.Record, error) bool) {
	if d.Each(d.Items(d.memories, d.list), d.memory, yield) && d.relations.Len() > 0 {
		d.Each(d.Items(d.relations, "/"+relations), d.relation, yield)
	}
}
