package aicf

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// preserve writes what was not changed as it was read, and renders the rest between it.
// Contents of a dialect that is not made of sections are rendered whole once anything
// in them was changed.
func (w *writer) preserve(out io.Writer, entries []Entry, layout Layout, odd []OddLine) ([]codec.Loss, error) {
	if !w.dialect.sections() {
		if w.asked || !saysStill(entries, layout) {
			return w.canonical(out, entries)
		}
		return nil, writeSource(out, layout)
	}
	kept := untouched(w.dialect, entries)
	w.judge(entries, kept)
	whole := !slices.Contains(kept, false) && inPlace(entries)
	if !whole {
		layout.OpenEnd = false
	}
	w.page = newPage(out, layout)
	if whole {
		w.page.odd = odd
	} else if !slices.ContainsFunc(entries, declares) {
		if err := w.declare(nil); err != nil {
			return nil, err
		}
	}
	if err := w.mixed(entries, kept, whole); err != nil {
		return nil, err
	}
	w.end()
	return w.losses, w.page.end()
}

// saysStill reports whether entries are those of the file that the layout has.
func saysStill(entries []Entry, layout Layout) bool {
	c, _ := Read(&File{data: []byte(layout.Source)}, Options{})
	return reflect.DeepEqual(c.Entries, entries)
}

// writeSource writes the file that the layout has.
func writeSource(out io.Writer, layout Layout) error {
	p := newPage(out, Layout{BOM: layout.BOM})
	_, _ = p.out.WriteString(layout.Source)
	return p.out.Flush()
}

// sections reports whether files of the dialect are made of sections, so that one of
// them can be written anew and the others left.
func (d Dialect) sections() bool {
	switch d {
	case Spec, Core311, Unnumbered, FirstLine, Transcripts:
		return true
	}
	return false
}

// judge marks the declaration as changed where it has to say another version: the one
// that was asked for, or that of what is rendered.
func (w *writer) judge(entries []Entry, kept []bool) {
	i := slices.IndexFunc(entries, declares)
	if i < 0 || !w.asked && !slices.Contains(kept, false) {
		return
	}
	if v, ok := ParseVersion(entries[i].(*Declaration).Version); !ok || v != w.version {
		kept[i] = false
	}
}

// inPlace reports whether the entries stand where they were read, none between them
// missing.
func inPlace(entries []Entry) bool {
	next := 1
	for _, e := range entries {
		if e.Place().Line != next {
			return false
		}
		next = e.Place().end()
	}
	return true
}

// end returns the place of the line behind those of an entry.
func (o *Origin) end() int { return o.Line + strings.Count(o.Raw, "\n") + 1 }

// mixed writes entries as they were read where kept says so, and where they mean what
// they did.
func (w *writer) mixed(entries []Entry, kept []bool, whole bool) error {
	gone := false
	for i, e := range entries {
		if gone && separates(e) {
			gone = false // it belongs to what was left out
			continue
		}
		gone = false
		switch {
		case kept[i] && (whole || w.atHome(e)):
			if err := w.asRead(e); err != nil {
				return err
			}
		case declares(e) && !w.declared:
			w.declared = true
			if err := w.declare(entries); err != nil {
				return err
			}
		default:
			written, err := w.entry(e)
			if err != nil {
				return err
			}
			gone = !written && listOf(e) == ""
		}
	}
	return nil
}

// separates reports whether an entry is nothing but a separator.
func separates(e Entry) bool {
	g, ok := e.(*Gap)
	return ok && strings.Trim(g.Raw, "\n") == ""
}

// asRead writes the lines of an entry.
func (w *writer) asRead(e Entry) error {
	lines := strings.Split(e.Place().Raw, "\n")
	if _, gap := e.(*Gap); gap && slices.ContainsFunc(lines, beginsSection) {
		return refusal("data outside of a section", "", "AICF-SAFE-4", "a section is an entry of its own")
	}
	last := lines[len(lines)-1]
	list := listAt(last)
	if bareRow(e) {
		list = w.list
	} else if w.open && lines[0] != "" && (w.list == "" || listAt(lines[0]) != w.list) {
		w.close()
	}
	w.page.block(lines)
	w.declared = w.declared || declares(e)
	w.open, w.loose, w.list, w.after = false, last != "", list, e.Place().end()
	return nil
}

// bareRow reports whether an entry of a list was read from a line that does not name
// the list.
func bareRow(e Entry) bool {
	return listOf(e) != "" && headOf([]byte(e.Place().Raw)).shape == noHead
}

// atHome reports whether the lines of an entry mean here what they meant where they
// were read: a bare row only does in its list, and data outside of a section only behind
// what it stood behind.
func (w *writer) atHome(e Entry) bool {
	if g, ok := e.(*Gap); ok {
		return g.says() == nil || w.page.lines == 0 || w.after == g.Line
	}
	return !bareRow(e) || w.list == listOf(e)
}

// beginsSection reports whether a line is a header, and not one that only names a list.
func beginsSection(line string) bool {
	h := headOf([]byte(line))
	return h.shape != noHead && (h.shape != plainHead || listAt(line) == "")
}

// listAt returns the name of the list that a line is in by itself: as an entry, or as
// the bare header of it.
func listAt(line string) string {
	h := headOf([]byte(line))
	name := h.name([]byte(line))
	if entryStart(name) != "" && (h.shape == inlineHead || h.shape == plainHead && h.end == len(line)) {
		return string(name)
	}
	return ""
}

// untouched tells of each entry whether its lines still say what it says, and may be
// written: temporary state may not.
func untouched(d Dialect, entries []Entry) []bool {
	kept := make([]bool, len(entries))
	for i, e := range entries {
		kept[i] = unchanged(d, e)
		switch e := e.(type) {
		case *State:
			kept[i] = kept[i] && !e.temporary()
		case *Gap:
			continue
		}
		if kept[i] {
			kept[i] = oneSection(strings.Split(e.Place().Raw, "\n"))
		}
	}
	return kept
}
