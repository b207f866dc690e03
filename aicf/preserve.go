package aicf

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// preserve writes unchanged entries as they were read, and renders the others between them.
// It renders contents of a dialect without sections whole, once anything has changed.
func (w *writer) preserve(out io.Writer, entries []Entry, layout Layout, odd []OddLine) ([]codec.Loss, error) {
	if !w.dialect.Sections() {
		if w.asked || !matchesSource(entries, layout) {
			return w.canonical(out, entries)
		}
		return nil, writeSource(out, layout)
	}
	kept := unchangedEntries(w.dialect, entries)
	w.judge(entries, kept)
	whole := !slices.Contains(kept, false) && inPlace(entries)
	if !whole {
		layout.OpenEnd = false
	}
	w.page = newLineWriter(out, layout)
	if whole {
		w.page.odd = odd
	} else if !slices.ContainsFunc(entries, declares) {
		if err := w.declare(nil); err != nil {
			return nil, err
		}
	}
	if err := w.writeMixed(entries, kept, whole); err != nil {
		return nil, err
	}
	w.end()
	return w.losses, w.page.end()
}

// matchesSource reports whether the entries still match the file in the layout.
func matchesSource(entries []Entry, layout Layout) bool {
	c, _ := Read(&File{data: []byte(layout.Source)}, Options{})
	return reflect.DeepEqual(c.Entries, entries)
}

// writeSource writes the file in the layout.
func writeSource(out io.Writer, layout Layout) error {
	p := newLineWriter(out, Layout{BOM: layout.BOM})
	_, _ = p.out.WriteString(layout.Source)
	return p.out.Flush()
}

// Sections reports whether files of the dialect consist of sections, so that one section
// can be rewritten and the others kept.
func (d Dialect) Sections() bool {
	switch d {
	case Spec, Core311, Unnumbered, FirstLine, Transcripts:
		return true
	}
	return false
}

// judge marks the declaration as changed if it must declare another version: the requested
// one, or that of the rendered entries.
func (w *writer) judge(entries []Entry, kept []bool) {
	i := slices.IndexFunc(entries, declares)
	if i < 0 || !w.asked && !slices.Contains(kept, false) {
		return
	}
	if v, ok := ParseVersion(entries[i].(*Declaration).Version); !ok || v != w.version {
		kept[i] = false
	}
}

// inPlace reports whether the entries stand where they were read, with none missing between
// them.
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

// end returns the line after an entry.
func (o *Origin) end() int { return o.Line + strings.Count(o.Raw, "\n") + 1 }

// writeMixed writes entries as they were read where kept says so and their meaning stays the
// same.
func (w *writer) writeMixed(entries []Entry, kept []bool, whole bool) error {
	gone := false
	for i, e := range entries {
		if gone && separates(e) {
			gone = false // it belongs to a dropped entry
			continue
		}
		gone = false
		switch {
		case kept[i] && (whole || w.keepsMeaning(e)):
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

// separates reports whether an entry is only a separator.
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

// bareRow reports whether an entry's line does not name its list.
func bareRow(e Entry) bool {
	return listOf(e) != "" && headOf([]byte(e.Place().Raw)).shape == noHead
}

// keepsMeaning reports whether the lines of an entry keep their meaning here. A bare row needs
// its list; data outside a section needs what preceded it.
func (w *writer) keepsMeaning(e Entry) bool {
	if g, ok := e.(*Gap); ok {
		return g.says() == nil || w.page.lines == 0 || w.after == g.Line
	}
	return !bareRow(e) || w.list == listOf(e)
}

// beginsSection reports whether a line is the header of a section and not of a list.
func beginsSection(line string) bool {
	h := headOf([]byte(line))
	return h.shape != noHead && (h.shape != plainHead || listAt(line) == "")
}

// listAt returns the list that a line names: as an entry, or as a bare header.
func listAt(line string) string {
	h := headOf([]byte(line))
	name := h.name([]byte(line))
	if entryStart(name) != "" && (h.shape == inlineHead || h.shape == plainHead && h.end == len(line)) {
		return string(name)
	}
	return ""
}

// unchangedEntries reports for each entry whether its lines still match and may be written.
// Temporary state may not.
func unchangedEntries(d Dialect, entries []Entry) []bool {
	kept := make([]bool, len(entries))
	for i, e := range entries {
		kept[i] = unchanged(d, e)
		switch e := e.(type) {
		case *State:
			kept[i] = kept[i] && !e.HasTemporary()
		case *Gap:
			continue
		}
		if kept[i] {
			kept[i] = oneSection(strings.Split(e.Place().Raw, "\n"))
		}
	}
	return kept
}

// OddLine is a line that differs from its layout: a number out of sequence, a missing
// number, another line end.
type OddLine struct {
	Line   int    // its line in the file, from 1
	More   int    // how many following lines look the same
	Number string // what precedes its data, with the pipe; empty: nothing
	End    string // its line end; empty: none
}

// oddLines compares the lines of a file with their layout.
func (f *File) oddLines() []OddLine {
	var odd []OddLine
	p := &lineWriter{layout: f.layout}
	for rest := f.data; len(rest) > 0; {
		p.lines++
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		text := bytes.TrimSuffix(bytes.TrimSuffix(rest[:end], []byte("\n")), []byte("\r"))
		number, data := text[:f.layout.Numbering.numberWidth(text)], text[f.layout.Numbering.numberWidth(text):]
		ending := rest[len(text):end]
		rest = rest[end:]
		before := p.number
		p.buf = p.next(bytes.HasPrefix(data, []byte("@")))
		open := len(ending) == 0 && f.layout.OpenEnd // only the last line
		if bytes.Equal(p.buf, number) && (open || string(ending) == p.eol()) {
			continue
		}
		p.follow(number, before)
		if n := len(odd) - 1; n >= 0 && odd[n].next() == p.lines && odd[n].Number == string(number) && odd[n].End == string(ending) {
			odd[n].More++
			continue
		}
		odd = append(odd, OddLine{Line: p.lines, Number: string(number), End: string(ending)})
	}
	return odd
}

// next returns the line after those that look so.
func (o OddLine) next() int { return o.Line + o.More + 1 }
