package codectest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// testLimits sets one limit at a time below what the sample document needs.
func (s Suite) testLimits(t *testing.T) {
	if !s.writes() {
		t.Skip("the format is only read")
	}
	r := full(t)
	r.Supersedes = append(r.Supersedes, "urn:ump:ee")
	r.Relations = append(r.Relations, memory.Relation{Type: "about", Target: "entity:well"})
	data, _ := s.encode(t, r)
	if _, _, err := s.read(data, s.Options); err != nil {
		t.Fatalf("the sample is refused without any limit set: %v", err)
	}
	values := map[string]int64{
		"Document": s.size(data) - 1, "Record": 64, "Text": int64(len(r.Body.Text)) - 1,
		"Name": 8, "Items": 1, "Depth": 1, "Records": 1, "Files": 1,
	}
	for field := range reflect.TypeFor[codec.Limits]().Fields() {
		t.Run(field.Name, func(t *testing.T) {
			value, ok := values[field.Name]
			if !ok {
				t.Fatal("the limit has no value to try: add one")
			}
			if why := s.Exempt[field.Name]; why != "" {
				t.Skip(why)
			}
			opt := s.Options
			reflect.ValueOf(&opt.Limits).Elem().FieldByIndex(field.Index).SetInt(value)
			s.testLimit(t, field.Name, data, opt)
		})
	}
}

// size returns the length of a document in bytes; of a folder, the length of its files.
func (s Suite) size(data []byte) int64 {
	if !s.AsFolder {
		return int64(len(data))
	}
	n := 0
	for _, file := range txtar.Parse(data).Files {
		n += len(file.Data)
	}
	return int64(n)
}

func (s Suite) testLimit(t *testing.T, name string, data []byte, opt codec.Options) {
	switch name {
	case "Files":
		if s.Folder == nil {
			t.Skip("the format has no folders")
		}
		if _, _, err := readAll(s.Format, codec.Source{Name: "folder", Tree: s.Folder}, opt); err == nil {
			t.Error("a folder beyond the limit is accepted")
		}
		return
	case "Records":
		if s.holdsOne(t) {
			t.Skip("a document holds one record")
		}
		second := full(t)
		second.ID = sampleOtherID
		data, _ = s.encode(t, full(t), second)
	}
	_, losses, err := s.read(data, opt)
	if err == nil && slices.ContainsFunc(losses, codec.IsLeftOut) {
		return // of the document only the rest was read
	}
	if err == nil {
		t.Fatal("a document beyond the limit is accepted")
	}
	s.refused(t, data, opt, err)
}
