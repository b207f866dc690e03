package claudecode

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/markdown"
)

// form is what is around the words of a note in its file.
type form struct {
	head, tail string
	whole      string // the file, where head, words and tail do not make it
}

// formOf returns the form of a file as residue: undefined for one that stands in the file
// as it would be written, else the head and the tail, or the whole file where words of it
// are spelled in another way than in the text.
func formOf(n Note, raw string) canon.Value {
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

// saysAbout reports whether words end as a text does to which the description was added.
func saysAbout(words, about string) bool {
	return about != "" && strings.HasSuffix(words, aboutLine+about)
}

// plainForm is the form in which notes are written.
func plainForm(front canon.Value) (form, error) {
	head, err := markdown.Render(front)
	return form{head: head, tail: "\n"}, err
}

// readForm undoes formOf.
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
