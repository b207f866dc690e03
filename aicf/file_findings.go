package aicf

import (
	"bytes"
	"unicode/utf8"
)

// Findings returns what is wrong or unusual about the syntax, in the order of the lines,
// what concerns the file as a whole first. Characters and escapes are looked at in every
// line, whatever its meaning (AICF-VALC-1, AICF-VALC-2), as far as Parse has not done so.
func (f *File) Findings() []Finding {
	l := log{most: f.limits.Findings, told: f.findings[:len(f.findings):len(f.findings)], more: f.more}
	if f.unread || bytes.IndexByte(f.data, '\\') >= 0 {
		for i, m := range f.marks {
			f.section(i).inspect(&l, f.start+m.at, f.unread)
		}
	}
	return l.inOrder()
}

// inspect tells of the characters and escapes in the lines of a section that begins at an
// offset in the file; only of escapes if its characters are known to be plain.
func (s Section) inspect(l *log, offset int, unread bool) {
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

// characters tells of control characters in a line, and of bytes that are not UTF-8: of
// the first of either.
func (l *log) characters(line int, in *title, text []byte, offset int, ended bool) {
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

// invalidIn returns the place of the first byte that is not UTF-8; -1: none.
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

// wholeRunes leaves out the beginning of a character that the end of the file cuts off.
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

// escapes tells of malformed escapes in a line, and of those that are none of the format's.
func (l *log) escapes(line int, in *title, data []byte) {
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
