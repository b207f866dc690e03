package paste

import (
	"strings"
	"time"
)

// entry is one memory of the list.
type entry struct {
	line    int       // its first line, from 1
	date    string    // as written between the brackets; empty: none
	when    time.Time // the time in date; zero: none
	section string    // the heading above it
	text    []byte
	indent  int  // spaces before its list marker
	blanks  int  // blank lines since the last line of text
	long    bool // longer than the limit; already reported
}

// deeper begins the further lines of an entry.
const deeper = "  "

// maxDate bounds, in bytes, a text between brackets that may be a date.
const maxDate = 64

// bracketed splits a line such as "[2025-03-01] - text", with or without a list marker
// before it.
func bracketed(line string) (date, text string, ok bool) {
	line = strings.TrimSpace(line)
	if rest, ok := bullet(line); ok {
		line = rest
	}
	rest, ok := strings.CutPrefix(line, "[")
	if !ok {
		return "", "", false
	}
	date, rest, ok = strings.Cut(rest, "]")
	if !ok || len(date) > maxDate || strings.Contains(date, "[") {
		return "", "", false
	}
	rest = strings.TrimLeft(rest, " \t")
	for _, dash := range []string{"-", "–", "—", ":"} {
		if text, ok := strings.CutPrefix(rest, dash); ok {
			return strings.TrimSpace(date), strings.TrimSpace(text), true
		}
	}
	return "", "", false
}

// bullet removes the marker of an unindented list item.
func bullet(line string) (string, bool) {
	for _, marker := range []string{"- ", "* ", "• "} {
		if rest, ok := strings.CutPrefix(line, marker); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return "", false
}

// numbered removes the number of an unindented item of a numbered list.
func numbered(line string) (string, bool) {
	rest := strings.TrimLeft(line, "0123456789")
	if digits := len(line) - len(rest); digits == 0 || digits > 4 {
		return "", false
	}
	for _, marker := range []string{". ", ") "} {
		if text, ok := strings.CutPrefix(rest, marker); ok {
			return strings.TrimSpace(text), true
		}
	}
	return "", false
}

// label returns the words of a line that introduces a list like a heading, but without a
// heading's marks: at most three words, and a colon.
func label(line string) (string, bool) {
	words, ok := strings.CutSuffix(strings.TrimSpace(line), ":")
	return words, ok && words != "" && !indented(line) && len(strings.Fields(words)) <= 3
}

// unknown reports whether the words between the brackets say that there is no date.
func unknown(date string) bool {
	switch strings.ToLower(date) {
	case "", "unknown", "date unknown", "unknown date", "undated", "no date", "n/a":
		return true
	}
	return false
}

// parseDate reads a date of PASTE-3. A day begins in UTC: the list names no zone. Before
// 1970 no assistant saved anything.
func parseDate(date string) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if when, err := time.Parse(layout, date); err == nil && when.Year() >= 1970 {
			return when.UTC(), true
		}
	}
	return time.Time{}, false
}

// opens reports whether a bracket begins a block by itself: it must contain a date,
// something shaped like one, or the word for no date.
func opens(date string) bool {
	if date != "" && unknown(date) {
		return true
	}
	const shape = "0000-00-00"
	if len(date) < len(shape) {
		return false
	}
	for i := range len(shape) {
		digit := '0' <= date[i] && date[i] <= '9'
		if digit != (shape[i] == '0') || !digit && date[i] != '-' {
			return false
		}
	}
	return true
}

// heading returns the words of a line that is a heading and nothing else.
func heading(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if words := strings.TrimLeft(line, "#"); words != line && strings.HasPrefix(words, " ") {
		return strings.TrimSpace(words), strings.TrimSpace(words) != ""
	}
	if words, ok := strings.CutPrefix(line, "**"); ok {
		words, after, ok := strings.Cut(words, "**")
		words = strings.TrimSpace(strings.TrimSuffix(words, ":"))
		return words, ok && words != "" && (after == "" || after == ":")
	}
	return "", false
}
