package aicf

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// carriedPart is the longest part of a carried record, escaped: below the longest
// recommended field (AICF-SIZE-3).
const carriedPart = 60_000

func (s *sectionBuilder) carried(e *Carried) {
	s.header(carriedName, e.ID, e.Extra)
	s.filled("entity", e.Entity)
	parts := carriedParts(e.Record)
	if len(parts) == 1 {
		s.filled("record", parts[0])
	}
	for i, part := range parts {
		if len(parts) > 1 {
			s.filled("record_"+strconv.Itoa(i+1), part)
		}
	}
	s.rest()
}

// carriedParts splits a record that is too long for one field, between characters.
func carriedParts(record string) []string {
	var parts []string
	for len(record) > carriedPart || len(Escape(record)) > carriedPart {
		end := carriedPart / 2 // escaping at most doubles it
		for back := 1; back < utf8.UTFMax && !utf8.RuneStart(record[end]); back++ {
			end--
		}
		parts = append(parts, record[:end])
		record = record[end:]
	}
	return append(parts, record)
}

func (s *sectionBuilder) declaration(e *Declaration, version string) {
	s.header(declarationName, "", e.Extra)
	s.filled("version", version)
	s.rest()
}

// unknown writes an unknown section as spelled (AICF-FWD-1, -4), without separators at its
// end.
func (s *sectionBuilder) unknown(e *Unknown) {
	s.name = strings.TrimSpace(e.Name + " " + e.ID)
	if e.Raw == "" {
		s.header(e.Name, e.ID, nil)
	} else {
		s.lines = strings.Split(strings.TrimRight(e.Raw, "\n"), "\n")
	}
	for i, line := range s.lines {
		s.lines[i] = s.spelled("", line)
	}
	if s.err == nil && !sameSection(s.lines, e) {
		s.refuse("", "AICF-SAFE-4", "an unknown section is the header that it names, and lines that are none")
	}
}

// sameSection reports whether a reader reads the lines as this unknown section only.
func sameSection(lines []string, e *Unknown) bool {
	read, ok := readRaw(Spec, strings.Join(lines, "\n"), e)
	same, is := read.(*Unknown)
	return ok && is && same.Name == e.Name && same.ID == e.ID && oneSection(lines)
}
