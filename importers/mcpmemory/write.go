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

// The entity of records without a subject: the person who owns the memories.
const (
	personName = "User"
	personType = "person"
)

// writer collects a graph in memory, and writes it when it is complete: entities before
// relations. The server does the same.
type writer struct {
	out    io.Writer
	opt    codec.Options
	now    time.Time
	nodes  []*node
	byName map[key]*node // those that get observations
	edges  []*relation
	held   []recordPlace
	losses []codec.Loss
	err    error
}

// recordPlace is a record and its place in the graph.
type recordPlace struct {
	record memory.Record
	node   *node // nil: a relation
	edge   *relation
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
		w.held = append(w.held, recordPlace{record: r, edge: said.relation})
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

// line returns the line that a record comes from, if it can be read again.
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

// isBare reports whether an entity has no observations.
func (e *entity) isBare() bool {
	return !slices.ContainsFunc(e.Observations, func(text string) bool { return !blank(text) })
}

// bare writes an entity without observations.
func (w *writer) bare(r memory.Record, e *entity) {
	n := w.node(e.Name, e)
	if n.entity.isBare() {
		n.entity.Observations = e.Observations
	}
	w.held = append(w.held, recordPlace{record: r, node: n, index: -1})
}

// observe writes a record as an observation of its subject. said is the entity that it
// comes from; nil: none.
func (w *writer) observe(r memory.Record, said *entity) {
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
	w.held = append(w.held, recordPlace{record: r, node: n, index: len(n.entity.Observations)})
	n.add(text)
}

// subject returns the entity that a record is about: the one that it comes from, if it is
// still about that, or else the first; the person if there is none.
func (w *writer) subject(r memory.Record, said *entity) string {
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

// Close writes the graph. No line feed ends the last line, like the server's.
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
