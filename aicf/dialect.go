package aicf

import (
	"bytes"
	"slices"
	"strings"
)

// Detect tells in which dialect a file is, from its beginning (AICF-REF-1). It looks at
// 64 KiB at most; what fits no other dialect is [Spec], or [Unnumbered] without numbers.
func Detect(data []byte) Dialect {
	head := bytes.TrimPrefix(data, byteOrderMark)
	head = head[:min(len(head), headSize)]
	s := signsOf(head)
	switch {
	case strings.HasPrefix(s.first, "{") || strings.HasPrefix(s.first, "["):
		return JSON
	case strings.HasPrefix(s.first, "version|"):
		return Alpha
	case watched(s.first):
		return Watcher
	case s.first == "@METADATA:":
		return Compiled
	case s.has("@SCHEMA") || s.first == "@"+declarationName && strings.HasPrefix(s.second, "2."):
		return Tables
	}
	return s.numbered(numberingOf(head))
}

// numbered tells the dialects apart whose lines begin with numbers, and those that only
// differ in that from the text's.
func (s *signs) numbered(n Numbering) Dialect {
	_, width := leadingNumber([]byte(s.first))
	data := s.first[width:]
	switch {
	case guided(data):
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

// signs is what dialects are told by.
type signs struct {
	first, second string // lines that are not blank
	whole         map[string]bool
	rows          bool // there is a row of 1.0
	core          bool // there is a section that only 3.1.1 writes, behind a line number
}

// has reports whether a line says nothing but the text.
func (s *signs) has(text string) bool { return s.whole[text] }

func signsOf(head []byte) *signs {
	s := &signs{whole: map[string]bool{}}
	for raw := range bytes.Lines(head) {
		text := strings.TrimSpace(string(raw))
		switch {
		case text == "":
			continue
		case s.first == "":
			s.first = text
		case s.second == "":
			s.second = text
		}
		if text == "@SCHEMA" || text == "@TRANSCRIPT" || text == "@COMMANDS" {
			s.whole[text] = true
		}
		_, data, _ := strings.Cut(text, "|")
		s.core = s.core || strings.HasPrefix(data, "@DECISION:") || strings.HasPrefix(data, "@WORK:")
		s.rows = s.rows || isRow(text)
	}
	return s
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

// version returns the version that files of the dialect have if they do not say; zero:
// what they use tells (AICF-COMPAT-7).
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

// about returns what of the findings about syntax concerns a file of the dialect: of one
// that is not made of sections, its characters and sizes.
func (d Dialect) about(found []Finding) []Finding {
	if d.sections() {
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
