package mapping

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// previousFile is the file that records came from. It is rebuilt from their residue and
// from the record that stands for the file.
type previousFile struct {
	file    memory.Record
	data    []byte
	told    map[memory.ID]bool // records whose lines are in the file
	lines   []string
	changed bool // the file differs from the original
	foreign bool // the file's dialect has no sections, so it holds no lines of records
}

// newestFile returns the index of the newest record that stands for a file; -1: none.
func newestFile(records []memory.Record) int {
	newest := -1
	for i, r := range records {
		if residueOf(r).Get(residueFile).Type() != canon.TypeObject || r.Lifecycle.Status.Or() != memory.Active {
			continue
		}
		if newest < 0 || !r.Time.Created.Before(records[newest].Time.Created) {
			newest = i
		}
	}
	return newest
}

// rebuild rebuilds a file.
func rebuild(file memory.Record, records []memory.Record) *previousFile {
	said := residueOf(file).Get(residueFile)
	b := &previousFile{file: file, told: map[memory.ID]bool{}}
	if source := said.Get(residueSource); source.Type() == canon.TypeString {
		b.data, b.foreign = []byte(source.Text()), true
		if said.Get("bom").True() {
			b.data = append([]byte("\ufeff"), b.data...)
		}
		return b
	}
	known := make(map[memory.ID]*recordLines, len(records))
	for i := range records {
		known[records[i].ID] = &recordLines{record: records[i]}
	}
	for _, item := range said.Get(residueOrder).Items() {
		switch item.Type() {
		case canon.TypeArray:
			for _, l := range item.Items() {
				b.lines = append(b.lines, l.Text())
			}
		case canon.TypeString:
			b.take(known[memory.ID(idPrefix+item.Text())], -1)
		case canon.TypeObject:
			b.take(known[memory.ID(idPrefix+item.Get("id").Text())], int(item.Get("lines").Float()))
		}
	}
	if slices.ContainsFunc(b.lines, func(l string) bool { return strings.Contains(l, "\n") }) {
		b.lines, b.told = nil, map[memory.ID]bool{}
	}
	b.changed = b.changed || len(b.lines) != int(said.Get("lines").Float())
	b.data = b.page(said)
	return b
}

// recordLines holds the lines of a record that the file still lacks.
type recordLines struct {
	record memory.Record
	lines  []string // the remaining lines
	begun  bool
	anew   bool
}

// take moves n lines of a record to the file; with n below 0, all that remain.
func (b *previousFile) take(t *recordLines, n int) {
	if t == nil {
		b.changed = true
		return
	}
	if !t.begun {
		t.begun = true
		p, ok := newPiece(t.record)
		if !ok || p.raw == "" {
			b.changed = true
			return
		}
		t.lines, t.anew = strings.Split(p.raw, "\n"), p.anew
		if p.anew {
			lines, ok := p.lines()
			if b.changed = true; !ok {
				return
			}
			t.lines, n = lines, -1
		}
		b.told[t.record.ID] = true
	}
	if n < 0 || n > len(t.lines) {
		n = len(t.lines)
	}
	b.lines, t.lines = append(b.lines, t.lines[:n]...), t.lines[n:]
}

// page writes the lines in the file's layout.
func (b *previousFile) page(said canon.Value) []byte {
	layout := aicf.Layout{
		Numbering: aicf.Numbering(min(max(said.Get("numbering").Float(), 0), float64(aicf.EntryNumbered))),
		CRLF:      said.Get("crlf").True(), BOM: said.Get("bom").True(), OpenEnd: said.Get("open").True() && len(b.lines) > 0,
	}
	var odd []aicf.OddLine
	if !b.changed {
		odd = oddIn(said.Get("odd"))
	}
	return layout.File(b.lines, odd)
}

func oddIn(v canon.Value) []aicf.OddLine {
	var odd []aicf.OddLine
	for _, item := range v.Items() {
		if part := item.Items(); len(part) == 4 && !strings.Contains(part[1].Text(), "\n") {
			odd = append(odd, aicf.OddLine{Line: int(part[0].Float()), Number: part[1].Text(), End: part[2].Text(), More: max(0, int(part[3].Float()))})
		}
	}
	return odd
}

// source returns the file as a source to read again.
func (b *previousFile) source() codec.Source {
	return codec.Source{
		Name: residueOf(b.file).Get(residueFile).Get("name").Text(), Modified: b.file.Time.Created,
		File: bytes.NewReader(b.data), Size: int64(len(b.data)),
	}
}

// yields reports whether reading the file gives exactly these records.
func (b *previousFile) yields(forms codec.Forms, records []memory.Record) bool {
	r, err := openRecords(forms, b.source(), codec.Options{Owner: b.file.Scope.Owner, Project: b.file.Scope.Project})
	if err != nil {
		return false
	}
	defer r.Close()
	left := make(map[memory.ID]memory.Record, len(records))
	for _, want := range records {
		left[want.ID] = want
	}
	for range records {
		made, err := r.Next()
		if err != nil || !sameForm(made, left[made.ID]) {
			return false
		}
		delete(left, made.ID)
	}
	_, err = r.Next()
	return err != nil && len(left) == 0
}

// sameForm reports whether two records have the same canonical form.
func sameForm(a, b memory.Record) bool {
	read := canon.Options{Bytes: 1 << 62, Depth: 1_000, Inexact: true}
	x, err := canon.Parse(a.Form(), read)
	if err != nil {
		return false
	}
	y, err := canon.Parse(b.Form(), read)
	return err == nil && canon.Equal(x, y)
}
