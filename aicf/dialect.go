package aicf

import (
	"bytes"
	"slices"
	"strings"
)

// Detect returns the dialect of a file from its first 64 KiB (AICF-REF-1). A file that fits
// no other dialect is [Spec], or [Unnumbered] without numbers.
func Detect(data []byte) Dialect {
	head := bytes.TrimPrefix(data, byteOrderMark)
	head = head[:min(len(head), headSize)]
	numbering := numberingOf(head)
	s := signsOf(head, numbering)
	switch {
	case strings.HasPrefix(s.first, "{") || strings.HasPrefix(s.first, "["):
		return JSON
	case strings.HasPrefix(s.first, "version|"):
		return Alpha
	case isWatcherHead(s.first):
		return Watcher
	case s.first == "@METADATA:":
		return Compiled
	case s.tables:
		return Tables
	}
	return s.numbered(numbering)
}

// numbered distinguishes dialects with numbered lines, and those that differ from the
// specification's only in numbering.
func (s *dialectSigns) numbered(n Numbering) Dialect {
	_, width := leadingNumber([]byte(s.first))
	data := s.first[width:]
	switch {
	case isGuideLine(data):
		return Guide
	case s.rows && !strings.HasPrefix(data, "@"):
		return Rows
	case n == EntryNumbered:
		return FirstLine
	case n == NotNumbered && (s.has("@TRANSCRIPT") || s.has("@COMMANDS")):
		return Transcripts
	case n == NotNumbered:
		return Unnumbered
	case s.core:
		return Core311
	}
	return Spec
}

// dialectSigns is what distinguishes dialects.
type dialectSigns struct {
	first, second string // lines that are not blank
	whole         map[string]bool
	rows          bool // whether there is a row of 1.0
	tables        bool // whether there is a table of 2.0, or its version
	core          bool // whether there is a section of 3.1.1 behind a line number
}

// has reports whether a line consists of the text.
func (s *dialectSigns) has(text string) bool { return s.whole[text] }

func signsOf(head []byte, numbering Numbering) *dialectSigns {
	s := &dialectSigns{whole: map[string]bool{}}
	var before string // the last line that is not blank, without its number
	for raw := range bytes.Lines(head) {
		text := strings.TrimSpace(string(raw))
		if said := unnumberedRow(text, numbering); said != "" {
			s.tables = s.tables || beginsTable(before, said, s.second == "")
			before = said
		}
		switch {
		case text == "":
			continue
		case s.first == "":
			s.first = text
		case s.second == "":
			s.second = text
		}
		if text == "@TRANSCRIPT" || text == "@COMMANDS" {
			s.whole[text] = true
		}
		_, data, _ := strings.Cut(text, "|")
		s.core = s.core || strings.HasPrefix(data, "@DECISION:") || strings.HasPrefix(data, "@WORK:")
		s.rows = s.rows || isRow(text)
	}
	return s
}

// beginsTable reports whether two lines begin a table: @SCHEMA and the names of columns, or
// at the head of the file a version of 2.0.
func beginsTable(line, next string, head bool) bool {
	if line == "@SCHEMA" {
		_, isField := splitField(next)
		return !isField && headerOf(next).shape == noHead
	}
	return head && line == "@"+declarationName && strings.HasPrefix(next, "2.")
}

// unnumberedRow returns a line without its number, if every line of the file has one. In
// other files a number is the first cell of a row.
func unnumberedRow(text string, numbering Numbering) string {
	if numbering != Numbered {
		return text
	}
	return text[Numbered.numberWidth([]byte(text)):]
}

// String names the dialect for people.
func (d Dialect) String() string {
	switch d {
	case Spec:
		return "AICF as specified"
	case Core311:
		return "files of aicf-core 3.1.1"
	case Unnumbered:
		return "unnumbered sections"
	case FirstLine:
		return "entries with a number on their first line"
	case Compiled:
		return "compiled rows under @METADATA:"
	case Alpha:
		return "keys and values of 3.0.0-alpha"
	case Watcher:
		return "keys and values of a watcher"
	case Tables:
		return "tables of 2.0"
	case Guide:
		return "CONV and DATA lines of 2.x"
	case Rows:
		return "rows of 1.0"
	case JSON:
		return "JSON of 1.0"
	case Transcripts:
		return "unnumbered export with a transcript"
	}
	return "unknown dialect"
}

// version returns the version of files of the dialect that declare none; zero: their
// features decide (AICF-COMPAT-7).
func (d Dialect) version() Version {
	switch d {
	case Rows, JSON:
		return V10
	case Tables, Guide:
		return V20
	case Alpha:
		return V30
	}
	return 0
}

// about returns the syntax findings that apply to the dialect: without sections, only those
// about characters and sizes.
func (d Dialect) about(found []Finding) []Finding {
	if d.Sections() {
		return found
	}
	return slices.DeleteFunc(found, func(f Finding) bool {
		switch f.Code {
		case codeUTF8, codeControl, codeBOM, codeFileSize, codeLineSize, codeFieldSize, codeMore:
			return false
		}
		return true
	})
}

// isGuideLine reports whether a line, behind its number, is of the guide to 2.x.
func isGuideLine(data string) bool {
	return strings.HasPrefix(data, "CONV|") || strings.HasPrefix(data, "DATA|")
}

// guideFile reads n|CONV|id|messages|tokens, and n|DATA|text for turns.
func (r *parser) guideFile(f *File) []Entry {
	x := newDialectReader(r)
	var current *Conversation
	for _, l := range x.linesAsTheyAre(f) {
		_, width := leadingNumber([]byte(l.text))
		row := cells(l.text[width:])
		switch {
		case cell(row, 0) == "CONV":
			current = &Conversation{ID: cell(row, 1)}
			countInto(&current.Messages, &current.Extra, "messages", cell(row, 2))
			countInto(&current.Tokens, &current.Extra, "tokens", cell(row, 3))
			current.Extra = extra(current.Extra, extensionKey("more"), behind(row, 4))
			x.add(l.place, current)
		case cell(row, 0) == "DATA" && current != nil:
			x.turn(current, behind(row, 1))
		default:
			x.keep("", []line{{l.place, l.text[width:]}})
		}
	}
	return x.entries
}
