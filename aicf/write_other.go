package aicf

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// carriedPart is how long, escaped, a part of a record may be that rides along: below
// the longest field that is recommended (AICF-SIZE-3).
const carriedPart = 60_000

func (s *sheet) carried(e *Carried) {
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

// carriedParts splits a record between characters where it is too long for one field.
func carriedParts(record string) []string {
	var parts []string
	for len(record) > carriedPart || len(Escape(record)) > carriedPart {
		end := carriedPart / 2 // escaped, it is at most twice as long
		for back := 1; back < utf8.UTFMax && !utf8.RuneStart(record[end]); back++ {
			end--
		}
		parts = append(parts, record[:end])
		record = record[end:]
	}
	return append(parts, record)
}

func (s *sheet) declaration(e *Declaration, version string) {
	s.header(declarationName, "", e.Extra)
	s.filled("version", version)
	s.rest()
}

// unknown writes a section that the format does not know as it was spelled
// (AICF-FWD-1, -4), but for separators at its end.
func (s *sheet) unknown(e *Unknown) {
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

// sameSection reports whether a reader takes lines for an unknown section and for no
// other.
func sameSection(lines []string, e *Unknown) bool {
	read, ok := readRaw(Spec, strings.Join(lines, "\n"), e)
	same, is := read.(*Unknown)
	return ok && is && same.Name == e.Name && same.ID == e.ID && oneSection(lines)
}
