package aicf

import (
	"bytes"
	"unicode/utf8"
)

// Findings returns the faults and oddities of the syntax, in the order of the lines; those
// about the whole file come first. It checks the characters and escapes of every line
// (AICF-VALC-1, AICF-VALC-2) that Parse has not checked.
func (f *File) Findings() []Finding {
	l := findingList{most: f.limits.Findings, findings: f.findings[:len(f.findings):len(f.findings)], more: f.more}
	if f.unread || bytes.IndexByte(f.data, '\\') >= 0 {
		for i, m := range f.marks {
			f.section(i).inspect(&l, f.start+m.at, f.unread)
		}
	}
	return l.inOrder()
}

// inspect checks the characters and escapes in the lines of a section at an offset in the
// file; only the escapes if its characters are known to be plain.
func (s Section) inspect(l *findingList, offset int, unread bool) {
	escapes := bytes.IndexByte(s.data, '\\') >= 0
	if !escapes && !unread {
		return
	}
	rest, named := s.data, &title{section: s}
	for line := s.line; len(rest) > 0; line++ {
		at := offset + len(s.data) - len(rest)
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		text = bytes.TrimSuffix(text, []byte("\r"))
		if unread {
			l.characters(line, named, text, at, ended)
		}
		if escapes && bytes.IndexByte(text, '\\') >= 0 {
			l.escapes(line, named, text[s.numbering.numberWidth(text):])
		}
		rest = after
	}
}

// characters reports the first control character in a line, and the first byte that is not
// UTF-8.
func (l *findingList) characters(line int, in *title, text []byte, offset int, ended bool) {
	plain, _ := textEnd(text, 0, len(text))
	text, offset = text[plain:], offset+plain
	if i := controlIn(text); i >= 0 {
		l.find(line, in, Warning, codeControl, "AICF-SAFE-2", "control character U+%04X at offset %d of the file", text[i], offset+i)
	}
	if !ended {
		text = wholeRunes(text)
	}
	if i := invalidIn(text); i >= 0 {
		l.find(line, in, Broken, codeUTF8, "AICF-VALC-1", "the byte at offset %d of the file is not UTF-8", offset+i)
	}
}

// invalidIn returns the offset of the first byte that is not UTF-8; -1: none.
func invalidIn(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// wholeRunes cuts off a character that the end of the file splits.
func wholeRunes(text []byte) []byte {
	for i := 1; i < min(utf8.UTFMax, len(text)+1); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// escapes reports malformed and unknown escapes in a line.
func (l *findingList) escapes(line int, in *title, data []byte) {
	_, problems := Unescape(string(data))
	for _, p := range problems {
		switch p.Code {
		case codeEscape:
			l.find(line, in, Warning, p.Code, "AICF-VALC-2", `a backslash that begins no escape; expected \|, \n or \\`)
		case codeEscapeExtra:
			l.find(line, in, Warning, p.Code, "AICF-STR-10", `an escape \r or \@, which the format does not have; it is read as meant`)
		}
	}
}
