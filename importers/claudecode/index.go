package claudecode

import (
	"path"
	"strings"
	"unicode"
)

// indexPointer is a line of an index that points to a note.
type indexPointer struct {
	title, target, hook string
}

// indexLine reads "[title](file.md) — hook", without the list marker.
func indexLine(text string) (indexPointer, bool) {
	rest, ok := strings.CutPrefix(text, "[")
	if !ok || strings.Contains(text, "\n") {
		return indexPointer{}, false
	}
	title, rest, ok := strings.Cut(rest, "](")
	if !ok {
		return indexPointer{}, false
	}
	target, hook, ok := strings.Cut(rest, ")")
	target = path.Clean(strings.TrimSpace(target))
	if !ok || path.Ext(target) != ".md" || strings.Contains(target, ":") {
		return indexPointer{}, false
	}
	hook = strings.TrimLeft(hook, " \t")
	for _, dash := range []string{"—", "–", "-", ":"} {
		if rest, ok := strings.CutPrefix(hook, dash); ok {
			hook = rest
			break
		}
	}
	return indexPointer{strings.TrimSpace(title), target, strings.TrimSpace(hook)}, true
}

// text is the memory of a line whose note is missing.
func (p indexPointer) text() string {
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

// mostIndexed bounds, in bytes, how much of a note is kept until the index is read.
const mostIndexed = 1 << 10

// beginning returns the words at the beginning of a text, in lower case and without
// characters other than letters and digits.
func beginning(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text[:min(len(text), mostIndexed)]), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	return strings.Join(words, " ")
}

// summary is the beginning of a note, for comparison with the index.
type summary struct {
	file, name  string
	title, hook string // the words that may contain a title, or a hook
}

// summaryOf returns the summary of a note in a file.
func summaryOf(n noteFile, file string) summary {
	text := n.Description + " " + n.Body
	t := summary{file: file, name: n.Name, title: beginning(text), hook: beginning(file + " " + n.Name + " " + text)}
	if n.Name != file {
		t.title = beginning(n.Name + " " + text)
	}
	return t
}

// covers reports whether the note contains all words of the line. If the note's name is
// only its file's name, it covers a title with that spelling.
func (p indexPointer) covers(t summary) bool {
	title := p.title == t.file || p.title == t.name || within(t.title, beginning(p.title))
	return title && within(t.hook, beginning(p.hook))
}

// within reports whether words contains some words in their order.
func within(all, words string) bool {
	return words == "" || strings.Contains(" "+all+" ", " "+words+" ")
}
