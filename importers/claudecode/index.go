package claudecode

import (
	"path"
	"strings"
	"unicode"
)

// pointed is a line of an index that points to a note.
type pointed struct {
	title, target, hook string
}

// indexLine reads "[title](file.md) — hook", without the list marker.
func indexLine(text string) (pointed, bool) {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok || strings.Contains(text, "\n") {
		return pointed{}, false
	}
	title, rest, ok := strings.Cut(rest, "](")
	if !ok {
		return pointed{}, false
	}
	target, hook, ok := strings.Cut(rest, ")")
	target = path.Clean(strings.TrimSpace(target))
	if !ok || path.Ext(target) != ".md" || strings.Contains(target, ":") {
		return pointed{}, false
	}
	hook = strings.TrimLeft(hook, " \t")
	for _, dash := range []string{"—", "–", "-", ":"} {
		if rest, ok := strings.CutPrefix(hook, dash); ok {
			hook = rest
			break
		}
	}
	return pointed{strings.TrimSpace(title), target, strings.TrimSpace(hook)}, true
}

// text says what is left of a note that is gone.
func (p pointed) text() string {
	switch {
	case p.title == "" && p.hook == "":
		return p.target
	case p.hook == "":
		return p.title
	case p.title == "":
		return p.hook
	}
	return p.title + ": " + p.hook
}

// mostTold bounds how much of a note is remembered until the index is read, in bytes.
const mostTold = 1 << 10

// beginning returns the beginning of a text as its words, in lower case and without what
// is neither letter nor digit.
func beginning(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text[:min(len(text), mostTold)]), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	return strings.Join(words, " ")
}

// saidBy reports whether a note begins with words that say all of the line.
func (p pointed) saidBy(note string) bool {
	return strings.Contains(note, beginning(p.title)) && strings.Contains(note, beginning(p.hook))
}
