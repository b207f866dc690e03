package cli

import (
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/satchel-memory/satchel/codec"
)

// screen is a terminal that shows results. Documents of strangers may hold characters that
// control the terminal or stay invisible. The screen writes these as JSON escapes: a JSON
// text keeps its meaning, and other text shows what it holds.
type screen struct {
	file   *os.File
	under  io.Writer // a file, except in tests
	rest   []byte    // may continue in the next write: half a character, or a CR
	before rune      // the last character
}

// Screened returns a screen for a terminal, and any other file unchanged.
func Screened(f *os.File) io.Writer {
	if !IsTerminal(f) {
		return f
	}
	return &screen{file: f, under: f}
}

// Fd identifies the terminal.
func (s *screen) Fd() uintptr { return s.file.Fd() }

// Write writes p. Invalid bytes appear as U+FFFD.
func (s *screen) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	shown := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) && string(text) != "\r" {
		r, size := utf8.DecodeRune(text)
		if isHazardous(s.before, r) && !(r == '\r' && text[1] == '\n') {
			quoted := codec.AppendQuoted(nil, string(r))
			shown = append(shown, quoted[1:len(quoted)-1]...)
		} else {
			shown = utf8.AppendRune(shown, r)
		}
		s.before = r
		text = text[size:]
	}
	s.rest = append([]byte(nil), text...)
	if _, err := s.under.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the terminal's columns, or 0 without a terminal.
func (a *App) Width() int {
	f, ok := a.Out.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
