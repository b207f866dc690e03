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

// wrote reports whether a file of a memory folder is a note as it was written here: it has
// the mark under metadata. Whoever changes the note makes it their own.
func wrote(name string, data []byte) bool { return markdown.WroteAt(name, data, "metadata") }

// writtenHere returns the record of a note that was written here and says nothing beyond
// it: without residue, so that it is known for the memory that it was written of.
func writtenHere(r memory.Record, name, data string) (memory.Record, bool) {
	if !wrote(name, []byte(data)) {
		return r, false
	}
	if madeName(r) == name {
		r.Relations = slices.DeleteFunc(r.Relations, func(rel memory.Relation) bool { return rel.Target == "entity:"+stem(name) })
	} else if entityName(r) != name {
		return r, false
	}
	again, err := composed(r, stem(name))
	return r, err == nil && again == data
}

// original returns the note that a record came from, if it still says what the record does.
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

// wordsOf returns what the body of a note with a text may be.
func wordsOf(text, about string) []string {
	words := []string{text}
	if body, ok := strings.CutSuffix(text, aboutLine+strings.TrimSpace(about)); ok {
		words = append([]string{body}, words...)
	}
	return append(words, "")
}

// reread reads what was written for a record.
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

// composed returns a new note for a record, called by a stem. Of the note the record came
// from it keeps what does not contradict it.
func composed(r memory.Record, stem string) (string, error) {
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
	f, err := plainForm(marked(typed(front, r.Kind)))
	if err != nil {
		return "", err
	}
	return markdown.Seal(f.file(body)), nil
}

// typed gives front matter the type of a kind, where it has another.
func typed(front canon.Value, kind memory.Kind) canon.Value {
	meta := front.Get("metadata")
	said := front.Get("type").Text()
	if said == "" {
		said = meta.Get("type").Text()
	}
	if n := (Note{Type: said}); said != "" && n.kind() == kind {
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

// marked makes room for the mark.
func marked(front canon.Value) canon.Value {
	meta := front.Get("metadata")
	if meta.Type() != canon.TypeObject {
		meta = canon.Object()
	}
	return front.With("metadata", meta.With(markdown.WrittenBy, canon.String(markdown.Unsealed)))
}

// firstWords returns as many whole words of the first line of a text as fit.
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
