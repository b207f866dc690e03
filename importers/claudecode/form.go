package claudecode

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/markdown"
)

// form is the part of a note's file around its words.
type form struct {
	head, tail string
	whole      string // the file, if head, words and tail do not give it
}

// formOf returns the form of a file as residue. It is undefined for a file as the writer
// would write it. Otherwise it is the head and the tail, or the whole file if its words are
// spelled differently than in the text.
func formOf(n noteFile, raw string) canon.Value {
	words := strings.TrimSpace(n.Body)
	if plain, err := plainForm(n.Front); err == nil && plain.file(words) == raw && !saysAbout(words, n.Description) {
		return canon.Value{}
	}
	at := strings.LastIndex(raw, words)
	if words == "" || saysAbout(words, n.Description) || strings.Contains(raw, "\r") || at < 0 ||
		strings.TrimSpace(raw[at+len(words):]) != "" {
		return canon.Object(canon.Member{Name: "whole", Value: canon.String(raw)})
	}
	return canon.Object(
		canon.Member{Name: "head", Value: canon.String(raw[:at])},
		canon.Member{Name: "tail", Value: canon.String(raw[at+len(words):])},
	)
}

// saysAbout reports whether words end like a text with the description added.
func saysAbout(words, about string) bool {
	return about != "" && strings.HasSuffix(words, aboutLine+about)
}

// plainForm is the form in which the writer writes notes.
func plainForm(front canon.Value) (form, error) {
	head, err := markdown.Render(front)
	return form{head: head, tail: "\n"}, err
}

// readForm reverses formOf.
func readForm(residue canon.Value) (form, error) {
	v := residue.Get("form")
	if v.Type() == canon.TypeUndefined {
		return plainForm(residue.Get("front"))
	}
	return form{head: v.Get("head").Text(), tail: v.Get("tail").Text(), whole: v.Get("whole").Text()}, nil
}

// file returns the file of a note.
func (f form) file(words string) string {
	if f.whole != "" {
		return f.whole
	}
	return f.head + words + f.tail
}
