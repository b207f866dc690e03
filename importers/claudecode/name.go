package claudecode

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// Bounds of names, in bytes.
const (
	mostName  = 120
	mostWords = 48
)

// ownName is the name of the note that a record comes from; empty: there is none, or it is
// not a valid file name.
func ownName(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	if name := residue.Get("file").Text(); safe(name) {
		return name
	}
	return ""
}

// entityName names a note by the record's subject, if that is a valid file name.
func entityName(r memory.Record) string {
	for _, rel := range r.Relations {
		name, ok := strings.CutPrefix(rel.Target, "entity:")
		if ok && rel.Type == memory.About && words(name) == name && safe(name+".md") {
			return name + ".md"
		}
	}
	return ""
}

// madeName names a note by its text, so that the name does not depend on the other notes.
func madeName(r memory.Record) string {
	stem := words(firstWords(r.Body.Text, mostWords))
	if stem == "" {
		stem = "memory"
	}
	return stem + "-" + markdown.Digest(typeOf(r.Kind)+"\n"+r.Body.Text) + ".md"
}

// words spells a text in small letters, digits and dashes, and drops other characters.
func words(text string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c < utf8.RuneSelf && ('a' <= c && c <= 'z' || '0' <= c && c <= '9'):
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// safe reports whether a name is valid for a note on every system, and in a link of an
// index.
func safe(name string) bool {
	stem, ok := strings.CutSuffix(name, ".md")
	if !ok || !codec.Portable(stem) || len(name) > mostName || strings.HasPrefix(stem, ".") || strings.TrimSpace(stem) != stem || strings.ContainsAny(stem, "/()[]\uFFFD") {
		return false
	}
	return !slices.Contains([]string{"memory", "claude", "agents"}, strings.ToLower(stem))
}
