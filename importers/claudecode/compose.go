package claudecode

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// wrote reports whether Satchel wrote a file of a memory folder: the mark is under
// metadata. Editing a note makes it the editor's own.
func wrote(name string, data []byte) bool { return markdown.Mark{Within: "metadata"}.Wrote(name, data) }

// ownRecord returns the record of a note that Satchel wrote and that holds nothing else.
// The record has no residue, so that it equals the memory of the note.
func ownRecord(r memory.Record, name, data string) (memory.Record, bool) {
	if !wrote(name, []byte(data)) {
		return r, false
	}
	if madeName(r) == name {
		r.Relations = slices.DeleteFunc(r.Relations, func(rel memory.Relation) bool { return rel.Target == "entity:"+stem(name) })
	} else if entityName(r) != name {
		return r, false
	}
	again, err := newNote(r, stem(name))
	return r, err == nil && again == data
}

// original returns the note that a record comes from, if the note still says the same as
// the record.
func original(r memory.Record) (data string, ok bool) {
	residue, _ := codec.Residue(r, formatName)
	f, err := readForm(residue)
	if residue.Get("file").Text() == "" || err != nil {
		return "", false
	}
	for _, words := range wordsOf(r.Body.Text, residue.Get("front").Get("description").Text()) {
		data := f.file(words)
		again, ok := reread(r.Scope.Owner, residue.Get("file").Text(), data)
		if own, _ := codec.Residue(again, formatName); ok && again.Kind == r.Kind && again.Body.Text == r.Body.Text && canon.Equal(own, residue) {
			return data, true
		}
	}
	return "", false
}

// wordsOf returns the possible bodies of a note with a text.
func wordsOf(text, about string) []string {
	words := []string{text}
	if body, ok := strings.CutSuffix(text, aboutLine+strings.TrimSpace(about)); ok {
		words = append([]string{body}, words...)
	}
	return append(words, "")
}

// reread reads the note written for a record.
func reread(owner memory.DID, name, data string) (memory.Record, bool) {
	limits := codec.Limits{}.Filled()
	f := newFile(name, data, time.Unix(0, 0).UTC())
	n, found := readNote(f, limits, false)
	if len(found) > 0 || n.text() == "" || int64(len(data)) > limits.Record {
		return memory.Record{}, false
	}
	in := reader{folder: folder{limits: limits}, owner: owner}
	again, err := in.note(n, f)
	return again, err == nil
}

// newNote returns a new note for a record, named by a stem. It keeps those parts of the
// record's original note that do not contradict the record.
func newNote(r memory.Record, stem string) (string, error) {
	residue, _ := codec.Residue(r, formatName)
	front := residue.Get("front")
	about, body := strings.TrimSpace(front.Get("description").Text()), strings.TrimSpace(r.Body.Text)
	if rest, ok := strings.CutSuffix(body, aboutLine+about); ok && about != "" {
		body = strings.TrimSpace(rest)
	} else if !strings.Contains(strings.ToLower(body), strings.ToLower(about)) {
		about = ""
	}
	if front.Get("name").Text() == "" {
		front = front.With("name", canon.String(stem))
	}
	if about == "" {
		front = front.With("description", canon.String(firstWords(body, mostHook)))
	}
	f, err := plainForm(withMark(withType(front, r.Kind)))
	if err != nil {
		return "", err
	}
	return markdown.Seal(f.file(body)), nil
}

// withType gives front matter the type of a kind, unless it has it.
func withType(front canon.Value, kind memory.Kind) canon.Value {
	meta := front.Get("metadata")
	said := front.Get("type").Text()
	if said == "" {
		said = meta.Get("type").Text()
	}
	if n := (noteFile{Type: said}); said != "" && n.kind() == kind {
		return front
	}
	if meta.Type() != canon.TypeObject {
		meta = canon.Object()
	}
	return front.Without("type").With("metadata", meta.With("type", canon.String(typeOf(kind))))
}

// typeOf returns the type of notes of a kind.
func typeOf(kind memory.Kind) string {
	switch kind {
	case memory.Identity:
		return "user"
	case memory.Procedural:
		return "feedback"
	}
	return "project"
}

// withMark makes room for the mark.
func withMark(front canon.Value) canon.Value {
	meta := front.Get("metadata")
	if meta.Type() != canon.TypeObject {
		meta = canon.Object()
	}
	return front.With("metadata", meta.With(markdown.WrittenBy, canon.String(markdown.Unsealed)))
}

// firstWords returns the whole words of a text's first line that fit.
func firstWords(text string, most int) string {
	most = max(most, 0)
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	line = string([]rune(line)[:most])
	if at := strings.LastIndexByte(line, ' '); at > 0 {
		line = line[:at]
	}
	return strings.TrimSpace(line)
}
