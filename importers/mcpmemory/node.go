package mcpmemory

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// node is an entity to write.
type node struct {
	entity entity
	typed  bool // its type is given, not a default
	size   int  // of its line
}

// key finds an entity: the first with a name, or the first with that name and type.
type key struct {
	name  string
	typed bool
	is    string // its type; empty: any
}

// node returns the entity with a name; said, if not nil, has more of its data. Entities
// with one name and two types stay apart.
func (w *writer) node(name string, said *entity) *node {
	by := key{name: name}
	n := w.byName[by]
	if said != nil && n != nil && n.typed && n.entity.Type != said.Type {
		by = key{name, true, said.Type}
		n = w.byName[by]
	}
	if n == nil {
		n = w.fresh(by)
	}
	if said != nil {
		n.learn(said, w.opt.Limits.Record)
	}
	return n
}

// fresh adds an entity.
func (w *writer) fresh(by key) *node {
	n := &node{entity: entity{Name: by.name}}
	if by.name == personName {
		n.entity.Type = personType
	}
	n.measure()
	w.nodes = append(w.nodes, n)
	w.byName[by] = n
	return n
}

// learn copies the data of a line about an entity beside its observations, as far as the
// line stays short enough to read.
func (n *node) learn(said *entity, longest int64) {
	was := n.entity
	if !n.typed {
		n.entity.Type, n.typed = said.Type, true
	}
	if len(n.entity.Rest) == 0 {
		n.entity.Rest = said.Rest
	}
	if n.measure(); int64(n.size) > longest {
		n.entity = was
		n.measure()
	}
}

func (n *node) measure() { n.size = len(n.entity.residue(n.entity.Observations...).Append(nil)) }

// sizeOf returns the length of an observation in its line.
func sizeOf(text string) int { return len(canon.String(text).Append(nil)) + len(",") }

func (n *node) add(text string) {
	n.entity.Observations = append(n.entity.Observations, text)
	n.size += sizeOf(text)
}

// room returns the entity with a name, with room for one more observation. If a line would
// become too long to read, another of the same name and type continues it. ok is false if
// the observation alone is too long.
func (w *writer) room(name string, said *entity, text string) (*node, bool) {
	alone := &node{entity: entity{Name: name}}
	if said != nil {
		alone.entity.Type = said.Type
	}
	if n := w.byName[key{name: name}]; n != nil && len(n.entity.Type) > len(alone.entity.Type) {
		alone.entity.Type = n.entity.Type
	}
	if alone.measure(); w.full(alone, text) {
		return nil, false
	}
	n := w.node(name, said)
	if w.full(n, text) && len(n.entity.Observations) == 0 {
		n.entity.Rest = nil
		n.measure()
	}
	if !w.full(n, text) {
		return n, true
	}
	return w.next(n), true
}

func (w *writer) full(n *node, text string) bool {
	return int64(n.size+sizeOf(text)) > w.opt.Limits.Record || len(n.entity.Observations) >= w.opt.Limits.Items
}

// next begins another line of an entity.
func (w *writer) next(n *node) *node {
	next := &node{entity: entity{Name: n.entity.Name, Type: n.entity.Type}, typed: n.typed}
	next.measure()
	w.nodes = append(w.nodes, next)
	for by, known := range w.byName {
		if known == n {
			w.byName[by] = next
		}
	}
	return next
}

// compare finds the data of each record that does not come back.
func (w *writer) compare() {
	for _, p := range w.held {
		switch {
		case p.edge != nil:
			w.compareOne(p.record, p.edge.sentence(), p.edge.residue(), p.edge.From, p.edge.To)
		case p.index >= 0:
			w.compareOne(p.record, p.node.entity.Name+": "+p.node.entity.Observations[p.index], p.node.residue(p.index), p.node.entity.Name)
		case p.node.entity.isBare() && p.node.entity.title() == p.record.Body.Text:
			w.compareOne(p.record, p.record.Body.Text, p.node.entity.residue(p.node.entity.Observations...), p.node.entity.Name)
		default:
			w.lose(p.record, "", lossBare)
		}
	}
}

// residue returns the residue that reading gives to an observation: the first one that is
// not blank carries the line's other data.
func (n *node) residue(index int) canon.Value {
	e := n.entity
	if index != slices.IndexFunc(e.Observations, func(text string) bool { return !blank(text) }) {
		e.Rest = nil
	}
	return e.residue(e.Observations[index])
}

// compareOne compares a record with the one that comes back.
func (w *writer) compareOne(r memory.Record, text string, residue canon.Value, about ...string) {
	again := reader{opt: w.opt}
	read := again.draft(text, "", residue, about...)
	if p := r.Provenance; p != nil && p.Source != nil && p.Source.Provider == provider {
		read.Provenance.Source.Ref = p.Source.Ref // the name of the file is unknown
	}
	read.Time.Created = r.Time.Created
	w.lose(r, "/time/created", lossUndated)
	if text != r.Body.Text {
		read.Body.Text = r.Body.Text
		w.lose(r, "/body/text", lossPrefix)
	}
	for _, l := range codec.RoundTripLosses(r, read) {
		if l.Pointer == "/body/structured" && r.Body.Structured == nil {
			l.Reason = lossLine
		}
		w.losses = append(w.losses, l)
	}
}
