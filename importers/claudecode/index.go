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

// told is what a note says of itself.
type told struct {
	file, name  string
	title, hook string // the words in which a title, or a hook, may be said
}

// toldBy returns what a note says, whose file is called so.
func toldBy(n Note, file string) told {
	text := n.Description + " " + n.Body
	t := told{file: file, name: n.Name, title: beginning(text), hook: beginning(file + " " + n.Name + " " + text)}
	if n.Name != file {
		t.title = beginning(n.Name + " " + text)
	}
	return t
}

// saidBy reports whether a note begins with words that say all of the line. What it is
// called, if that is no more than its file is, says a title that is spelled so.
func (p pointed) saidBy(t told) bool {
	title := p.title == t.file || p.title == t.name || within(t.title, beginning(p.title))
	return title && within(t.hook, beginning(p.hook))
}

// within reports whether some words are among others, in their order.
func within(all, words string) bool {
	return words == "" || strings.Contains(" "+all+" ", " "+words+" ")
}
