package aicf

import (
	"bytes"
	"iter"
	"strings"
)

// Section is a run of lines: a header, or the first of several entries that stand in one
// line each, and all that follows up to the next. The separator that closes it and stray
// lines behind that belong to it. What stands before the first header is a section
// without a name. A Section shares the bytes that were parsed.
type Section struct {
	data      []byte // its lines as they are, numbers and line ends included
	line      int
	numbering Numbering
}

// Line returns the place of its first line in the file, from 1.
func (s Section) Line() int { return s.line }

// Name returns the name in its header; empty: it has no header.
func (s Section) Name() string {
	first := s.header()
	return interned(headOf(first).name(first))
}

// ID returns the identifier in its header, decoded; empty: it has none.
func (s Section) ID() string {
	first := s.header()
	raw, _ := headOf(first).id(first)
	id, _ := Unescape(string(raw))
	return id
}

// header returns what its first line says.
func (s Section) header() []byte {
	_, first := s.cut(s.data)
	return first
}

// Lines yields the lines with their places in the file, without their numbers and ends,
// separators as empty ones. The bytes are those that were parsed: do not change them.
func (s Section) Lines() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := s.data
		for line := s.line; len(rest) > 0; line++ {
			var data []byte
			if rest, data = s.cut(rest); !yield(line, data) {
				return
			}
		}
	}
}

// cut splits what a line says off, and returns what follows the line.
func (s Section) cut(from []byte) (rest, data []byte) {
	end := bytes.IndexByte(from, '\n')
	if end < 0 {
		end = len(from)
	} else {
		rest = from[end+1:]
	}
	data = bytes.TrimSuffix(from[:end], []byte("\r"))
	return rest, data[s.numbering.numberWidth(data):]
}

// Raw returns what the lines say, joined by line feeds.
func (s Section) Raw() string {
	var b strings.Builder
	b.Grow(len(s.data))
	for line, data := range s.Lines() {
		if line > s.line {
			b.WriteByte('\n')
		}
		b.Write(data)
	}
	return b.String()
}

// Fields yields the fields with their places in the file: each line behind the header
// that has a key, split at the first equals sign (AICF-STR-8). Other lines are passed over.
func (s Section) Fields() iter.Seq2[int, Field] {
	return func(yield func(int, Field) bool) {
		for line, data := range s.Lines() {
			if field, ok := splitField(string(data)); ok && !yield(line, field) {
				return
			}
		}
	}
}

// splitField splits a line of data into key and value; false: it is no field.
func splitField(data string) (Field, bool) {
	key, raw, ok := strings.Cut(data, "=")
	if !ok || key == "" || strings.HasPrefix(key, "@") || strings.ContainsAny(key, `|\`) {
		return Field{}, false
	}
	return Field{Key: key, Raw: raw}, true
}
