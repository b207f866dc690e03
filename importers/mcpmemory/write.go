package mcpmemory

import (
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The entity of records that are about none: the person whose memories they are.
const (
	personName = "User"
	personType = "person"
)

// writer gathers a graph, which is written when it is complete: entities before relations,
// as the server does. It holds all of it, as the server does, too.
type writer struct {
	out    io.Writer
	opt    codec.Options
	now    time.Time
	nodes  []*node
	byName map[key]*node // those that observations are added to
	edges  []*Relation
	held   []placed
	losses []codec.Loss
	err    error
}

// placed is a record and what became of it.
type placed struct {
	record memory.Record
	node   *node // nil: a relation
	edge   *Relation
	index  int // of the observation; -1: the entity itself
}

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	opt.Limits = opt.Limits.Filled()
	w := &writer{out: out, opt: opt, byName: map[key]*node{}}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write implements [codec.Writer].
func (w *writer) Write(r memory.Record) error {
	r.Origin, r.Current = nil, nil // not needed to compare
	switch {
	case w.err != nil:
		return w.err
	case !codec.Holds(r, w.now):
		w.lose(r, "", codec.NotHeld)
		return nil
	}
	said := w.line(r)
	switch {
	case said.relation != nil && said.relation.sentence() == r.Body.Text && slices.Equal(abouts(said.relation.From, said.relation.To), r.Relations):
		w.edges = append(w.edges, said.relation)
		w.held = append(w.held, placed{record: r, edge: said.relation})
	case said.entity != nil && said.entity.title() == r.Body.Text && said.entity.isBare():
		w.bare(r, said.entity)
	default:
		w.observe(r, said.entity)
	}
	return nil
}

func (w *writer) lose(r memory.Record, pointer, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Pointer: pointer, Reason: reason})
}

// line reads the line that a record came from, if it is one that can be read again.
func (w *writer) line(r memory.Record) item {
	residue, ok := codec.Residue(r, formatName)
	if !ok || residue.Type() != canon.TypeObject {
		return item{}
	}
	v, err := canon.Parse(residue.Append(nil), canon.Options{Bytes: w.opt.Limits.Record, Depth: w.opt.Limits.Depth})
	c := checker{limits: w.opt.Limits}
	it := c.line(v)
	if err != nil || len(c.found) > 0 || it.entity != nil && blank(it.entity.Name) {
		return item{}
	}
	return it
}

// isBare reports whether nothing is observed of an entity.
func (e *Entity) isBare() bool {
	return !slices.ContainsFunc(e.Observations, func(text string) bool { return !blank(text) })
}

// bare writes an entity of which nothing is observed.
func (w *writer) bare(r memory.Record, e *Entity) {
	n := w.node(e.Name, e)
	if n.entity.isBare() {
		n.entity.Observations = e.Observations
	}
	w.held = append(w.held, placed{record: r, node: n, index: -1})
}

// observe writes a record as an observation of what it is about. said is the entity that
// it was of, if it was; nil: none.
func (w *writer) observe(r memory.Record, said *Entity) {
	name := w.subject(r, said)
	if said != nil && said.Name != name {
		said = nil
	}
	text := strings.TrimPrefix(r.Body.Text, name+": ")
	switch {
	case blank(text):
		w.lose(r, "", lossBlank)
		return
	case len(name)+len(": ")+len(text) > w.opt.Limits.Text:
		w.lose(r, "", lossLong)
		return
	}
	n, ok := w.room(name, said, text)
	if !ok {
		w.lose(r, "", lossLong)
		return
	}
	w.held = append(w.held, placed{record: r, node: n, index: len(n.entity.Observations)})
	n.add(text)
}

// subject returns the entity that a record is about: the one that it came from, if it is
// still about that, or the first; the person, where it is about none.
func (w *writer) subject(r memory.Record, said *Entity) string {
	first := ""
	for _, rel := range r.Relations {
		name, ok := strings.CutPrefix(rel.Target, "entity:")
		if !ok || rel.Type != memory.About || blank(name) || len(name) > w.opt.Limits.Name {
			continue
		}
		if said != nil && said.Name == name {
			return name
		}
		if first == "" {
			first = name
		}
	}
	if first == "" {
		return personName
	}
	return first
}

// Close writes the graph. Nothing ends its last line: so the server leaves it.
func (w *writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	w.compare()
	between := ""
	print := func(line canon.Value) error {
		_, err := io.WriteString(w.out, between+string(line.Append(nil)))
		between = "\n"
		return err
	}
	for _, n := range w.nodes {
		if err := print(n.entity.residue(n.entity.Observations...)); err != nil {
			return err
		}
	}
	for _, edge := range w.edges {
		if err := print(edge.residue()); err != nil {
			return err
		}
	}
	return nil
}

var errClosed = errors.New("the graph is complete")

// Losses implements [codec.Writer].
func (w *writer) Losses() []codec.Loss { return w.losses }
