package mem0

import (
	"errors"
	"io"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// writer writes a document: an item a line, the relations after the items, and at the end
// the document's other members, as the first record carries them.
type writer struct {
	out    io.Writer
	opt    codec.Options
	in     *codec.JSONReader // reads the result again
	now    time.Time
	list   string        // name of the list; empty: it is the document
	rest   []canon.Value // objects of one member each, which follow the list
	edges  []canon.Value
	extra  int  // bytes that the present record carries besides
	graph  bool // the document has relations, perhaps an empty list
	begun  bool
	items  int
	losses []codec.Loss
	err    error
}

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	opt.Limits = opt.Limits.Filled()
	w := &writer{out: out, opt: opt, in: &codec.JSONReader{Rules: rules, Owned: ruleDraft, Options: opt}, list: "results"}
	if opt.Now != nil {
		w.now = opt.Now()
	}
	return w, nil
}

// Write implements [codec.Writer].
func (w *writer) Write(r memory.Record) error {
	switch {
	case w.err != nil:
		return w.err
	case !codec.Holds(r, w.now):
		w.lose(r, codec.NotHeld)
		return nil
	case blank(r.Body.Text):
		w.lose(r, lossBlank)
		return nil
	}
	residue, _ := codec.Residue(r, formatName)
	var kept canon.Value // of the document
	if whole := residue.Get(residueDocument); !w.begun && w.items+len(w.edges) == 0 && w.shape(whole) {
		kept = whole
	}
	w.extra = len(kept.Append(nil))
	if rel, ok := w.relation(r, residue); ok {
		w.edges = append(w.edges, rel.value)
		w.compare(r, rel.record(w.in, time.Time{}, place(r)), kept)
		return nil
	}
	it, ok := w.item(r, residue)
	if !ok {
		w.lose(r, lossLong)
		return nil
	}
	when := it.created
	if v := it.value.Get("created_at"); when.IsZero() && v.Type() == canon.TypeString {
		when = r.Time.Created // an unchanged date is written as it was
	}
	w.compare(r, it.record(w.in, when, place(r)), kept)
	return w.put(it.value)
}

// place returns the place of a record without an id.
func place(r memory.Record) string {
	if p := r.Provenance; p != nil && p.Source != nil {
		return p.Source.Ref
	}
	return ""
}

func (w *writer) lose(r memory.Record, reason string) {
	w.losses = append(w.losses, codec.Loss{ID: r.ID, Reason: reason})
}

// compare finds the data of a record that does not come back.
func (w *writer) compare(r, read memory.Record, kept canon.Value) {
	if kept.Type() != canon.TypeUndefined {
		read = withDocument(read, kept)
	}
	if read.Time.Created.IsZero() {
		read.Time.Created = r.Time.Created
		w.losses = append(w.losses, codec.Loss{ID: r.ID, Pointer: "/time/created", Reason: lossUndated})
	}
	w.losses = append(w.losses, codec.RoundTripLosses(r, read)...)
}

// shape takes over a document's other members, if they can be written so.
func (w *writer) shape(whole canon.Value) bool {
	switch whole.Type() {
	case canon.TypeArray:
		if whole.Len() == 0 {
			w.list = ""
			return true
		}
	case canon.TypeObject:
		return w.isOutline(whole) && w.outline(whole)
	}
	return false
}

// isOutline reports whether an object has one list of memories, which is empty.
func (w *writer) isOutline(whole canon.Value) bool {
	lists := 0
	for _, m := range whole.Members() {
		isList := m.Value.Type() == canon.TypeArray
		named := isListName(m.Name)
		if isList && named {
			lists++
		}
		if isList && (named || m.Name == relations) && m.Value.Len() > 0 {
			return false
		}
	}
	return lists == 1 && w.fits(whole, 0) && len(whole.Append(nil)) <= mostRest && whole.Len() <= w.opt.Limits.Items
}

// outline takes over the members of such an object.
func (w *writer) outline(whole canon.Value) bool {
	for _, m := range whole.Members() {
		switch isList := m.Value.Type() == canon.TypeArray; {
		case isList && m.Name == relations:
			w.graph = true
		case isList && isListName(m.Name):
			w.list = m.Name
		default:
			w.rest = append(w.rest, canon.Object(m))
		}
	}
	return true
}

// fits reports whether a value at a depth in the document can be read again.
func (w *writer) fits(v canon.Value, depth int) bool {
	_, err := canon.Parse(v.Append(nil), canon.Options{Bytes: w.opt.Limits.Record, Depth: w.opt.Limits.Depth - depth})
	return err == nil
}

// put writes an item.
func (w *writer) put(v canon.Value) error {
	w.begin()
	if w.items++; w.items > 1 {
		w.print(",\n")
	}
	w.print(string(v.Append(nil)))
	return w.err
}

func (w *writer) begin() {
	if !w.begun {
		w.begun = true
		if w.list != "" {
			w.print("{" + string(canon.String(w.list).Append(nil)) + ":")
		}
		w.print("[\n")
	}
}

func (w *writer) print(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, s)
	}
}

// Close implements [codec.Writer].
func (w *writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.begin()
	w.print("\n]")
	if w.list != "" {
		if len(w.edges) > 0 || w.graph {
			w.print(`,"` + relations + `":` + string(canon.Array(w.edges...).Append(nil)))
		}
		for _, one := range w.rest {
			text := one.Append(nil)
			w.print("," + string(text[1:len(text)-1]))
		}
		w.print("}")
	}
	w.print("\n")
	err := w.err
	w.err = errors.Join(err, errClosed)
	return err
}

var errClosed = errors.New("the document is complete")

// Losses implements [codec.Writer].
func (w *writer) Losses() []codec.Loss { return w.losses }
