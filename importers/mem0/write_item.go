package mem0

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// item makes an item of a record: its old one with the changes since, or a new one. ok is
// false if the item would be too large to read.
func (w *writer) item(r memory.Record, residue canon.Value) (item, bool) {
	if source := residue.Get(residueItem); source.Type() == canon.TypeObject {
		if was, ok := w.sound(source); ok {
			if it, ok := w.sound(w.changed(was, r)); ok {
				return it, true
			}
		}
	}
	return w.sound(show(r, "memory", false))
}

// changed applies a record's changes to the item that it comes from.
func (w *writer) changed(was item, r memory.Record) canon.Value {
	name := textMember(was.value)
	when := was.created
	if when.IsZero() {
		when = r.Time.Created // the file's date: it stays unwritten
	}
	before := was.record(w.in, when, "")
	within := was.value.Get(name).Type() == canon.TypeObject
	after := show(r, name, within)
	if was.id != "" {
		after = after.With("id", canon.String(was.id))
	}
	v, _ := codec.Reconcile(was.value, show(before, name, within), after)
	if was.text != r.Body.Text {
		v = v.Without("hash")
	}
	return v
}

// sound reads an item as the reader will. It removes data that is too long to read; ok is
// false if that is the text, or the item as a whole.
func (w *writer) sound(v canon.Value) (item, bool) {
	it, found := reading(w, v, itemIn)
	name := textMember(v)
	for _, pointer := range found {
		member, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
		if member == "" || member == name {
			return item{}, false
		}
		v = v.Without(member)
	}
	if len(found) > 0 {
		it, _ = reading(w, v, itemIn)
	}
	return it, !blank(it.text) && !it.deleted() && w.fits(it.value, 2) && w.small(it.record(w.in, it.created, ""))
}

// small reports whether the data that a record carries may be read again.
func (w *writer) small(read memory.Record) bool {
	return int64(len(read.Body.Structured)+w.extra) <= w.opt.Limits.Record
}

// reading reads a value as the reader will, and returns the places of its faults.
func reading[T any](w *writer, v canon.Value, in func(*codec.Checker) T) (made T, found []string) {
	for _, p := range w.in.One(v, func(c *codec.Checker) { made = in(c) }) {
		found = append(found, p.Path)
	}
	return made, found
}

// relation returns the relation that a record comes from, if the record still says exactly
// that.
func (w *writer) relation(r memory.Record, residue canon.Value) (relation, bool) {
	v := residue.Get(residueRelation)
	if v.Type() != canon.TypeObject || w.list == "" || !w.fits(v, 2) {
		return relation{}, false
	}
	rel, found := reading(w, v, relationIn)
	again := rel.record(w.in, time.Time{}, "")
	return rel, len(found) == 0 && w.small(again) && len(again.Body.Text) <= w.opt.Limits.Text && again.Body.Text == r.Body.Text && slices.Equal(again.Relations, r.Relations)
}
