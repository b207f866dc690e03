package aicf

import (
	"bytes"
	"iter"
	"strings"
)

// Section is a run of lines: a header, or the first of several one-line entries, up to the
// next header. It includes its separator and stray lines after that. The lines before the
// first header are a section without a name. A Section shares the bytes of the file.
type Section struct {
	data      []byte // its lines with numbers and line ends
	line      int
	numbering Numbering
}

// Line returns its first line in the file, from 1.
func (s Section) Line() int { return s.line }

// Name returns the name in its header; empty: it has none.
func (s Section) Name() string {
	first := s.header()
	return internName(headOf(first).name(first))
}

// ID returns the decoded identifier in its header; empty: none.
func (s Section) ID() string {
	first := s.header()
	raw, _ := headOf(first).id(first)
	id, _ := Unescape(string(raw))
	return id
}

// header returns its first line.
func (s Section) header() []byte {
	_, first := s.cut(s.data)
	return first
}

// Lines yields the lines with their places in the file, without numbers and ends;
// separators are empty. Do not change the bytes, which are the file's.
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

// cut returns the data of a line, and what follows the line.
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

// Raw returns the data of the lines, joined by line feeds.
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

// Fields yields the fields with their places in the file: each line after the header that
// has a key, split at the first equals sign (AICF-STR-8). It skips other lines.
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
