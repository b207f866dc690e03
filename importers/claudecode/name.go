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

// ownName is the name of the note that a record came from; empty: there was none, or it is
// no name for a file.
func ownName(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	if name := residue.Get("file").Text(); safe(name) {
		return name
	}
	return ""
}

// entityName names a note by what its record is about, where that is a name for a file.
func entityName(r memory.Record) string {
	for _, rel := range r.Relations {
		name, ok := strings.CutPrefix(rel.Target, "entity:")
		if ok && rel.Type == memory.About && words(name) == name && safe(name+".md") {
			return name + ".md"
		}
	}
	return ""
}

// madeName names a note by what it says, so that it is called so whatever else is written.
func madeName(r memory.Record) string {
	stem := words(firstWords(r.Body.Text, mostWords))
	if stem == "" {
		stem = "memory"
	}
	return stem + "-" + markdown.Digest(typeOf(r.Kind)+"\n"+r.Body.Text) + ".md"
}

// words spells a text in small letters, digits and dashes; others are left out.
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

// safe reports whether a name is one for a note on every system, and in a link of an
// index.
func safe(name string) bool {
	stem, ok := strings.CutSuffix(name, ".md")
	if !ok || stem == "" || len(name) > mostName || strings.HasPrefix(stem, ".") || strings.TrimSpace(stem) != stem || strings.HasSuffix(stem, ".") {
		return false
	}
	if strings.ContainsAny(stem, `/\:*?"<>|()[]`) || strings.ContainsFunc(stem, func(c rune) bool { return c < ' ' || c == 0x7f || c == utf8.RuneError }) {
		return false
	}
	return !markdown.IsReserved(stem) && !slices.Contains([]string{"memory", "claude", "agents"}, strings.ToLower(stem))
}
