package mcpmemory

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// node is an entity that is to be written.
type node struct {
	entity Entity
	typed  bool // its type was said, and is no mere default
	size   int  // of its line
}

// key finds an entity: the first of a name, or the first of that name and type.
type key struct {
	name  string
	typed bool
	is    string // its type, if it is looked for by that
}

// node returns the entity of a name, of which said tells more, if it is not nil. Entities
// of one name and two types stay apart.
func (w *writer) node(name string, said *Entity) *node {
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
	n := &node{entity: Entity{Name: by.name}}
	if by.name == personName {
		n.entity.Type = personType
	}
	n.measure()
	w.nodes = append(w.nodes, n)
	w.byName[by] = n
	return n
}

// learn takes over what a line says of an entity beside its observations, as far as the
// line does not become longer than may be read.
func (n *node) learn(said *Entity, longest int64) {
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

// sizeOf returns how long an observation is in its line.
func sizeOf(text string) int { return len(canon.String(text).Append(nil)) + len(",") }

func (n *node) add(text string) {
	n.entity.Observations = append(n.entity.Observations, text)
	n.size += sizeOf(text)
}

// room returns the entity of a name with room for one more observation. A line that would
// become longer than may be read goes on in another of the same name and type; ok is false
// where the observation alone is too long.
func (w *writer) room(name string, said *Entity, text string) (*node, bool) {
	alone := &node{entity: Entity{Name: name}}
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
	next := &node{entity: Entity{Name: n.entity.Name, Type: n.entity.Type}, typed: n.typed}
	next.measure()
	w.nodes = append(w.nodes, next)
	for by, known := range w.byName {
		if known == n {
			w.byName[by] = next
		}
	}
	return next
}

// compare notes what of each record is not in what is read again.
func (w *writer) compare() {
	for _, p := range w.held {
		switch {
		case p.edge != nil:
			w.unkept(p.record, p.edge.sentence(), p.edge.residue(), p.edge.From, p.edge.To)
		case p.index >= 0:
			w.unkept(p.record, p.node.entity.Name+": "+p.node.entity.Observations[p.index], p.node.residue(p.index), p.node.entity.Name)
		case p.node.entity.isBare() && p.node.entity.title() == p.record.Body.Text:
			w.unkept(p.record, p.record.Body.Text, p.node.entity.residue(p.node.entity.Observations...), p.node.entity.Name)
		default:
			w.lose(p.record, "", lossBare)
		}
	}
}

// residue returns what is read beside an observation: what else the line says rides with
// the first that is not blank.
func (n *node) residue(index int) canon.Value {
	e := n.entity
	if index != slices.IndexFunc(e.Observations, func(text string) bool { return !blank(text) }) {
		e.Rest = nil
	}
	return e.residue(e.Observations[index])
}

// unkept compares a record with what is read again.
func (w *writer) unkept(r memory.Record, text string, residue canon.Value, about ...string) {
	again := reader{opt: w.opt}
	read := again.draft(text, "", residue, about...)
	if p := r.Provenance; p != nil && p.Source != nil && p.Source.Provider == provider {
		read.Provenance.Source.Ref = p.Source.Ref // the name of the file is not known
	}
	read.Time.Created = r.Time.Created
	w.lose(r, "/time/created", lossUndated)
	if text != r.Body.Text {
		read.Body.Text = r.Body.Text
		w.lose(r, "/body/text", lossPrefix)
	}
	for _, l := range codec.Unkept(r, read) {
		if l.Pointer == "/body/structured" && r.Body.Structured == nil {
			l.Reason = lossLine
		}
		w.losses = append(w.losses, l)
	}
}
