package ump_test

import (
	"testing"

	"github.com/satchel-memory/satchel/codec/codectest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestNotes(t *testing.T) {
	codectest.Suite{
		Format: ump.MarkdownFormat(), AsFolder: true, FreeText: true,
		Sign: func(r memory.Record) (memory.Record, error) { return ump.Author(r, ownerKey(t)) },
	}.Run(t)
}

func TestWroteNote(t *testing.T) {
	wrote := ump.MarkdownFormat().Wrote
	own := sampleNote
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"9f2c.ump.md":       {own, true},
		"below/9f2c.ump.md": {own, true},
		"edited.ump.md":     {own, false},
		"9f2c.md":           {own, false},
		"x/9f2c.ump.md":     {own + "and more\n", true},
		"y/9f2c.ump.md":     {"my own notes\n", false},
		"z/9f2c.ump.md":     {"---\nid: urn:ump:9f2c\n---\nmy own\n", false},
		".ump.md":           {"---\nump: \"0.1\"\n---\nno id\n", false},
	} {
		if got := wrote(name, []byte(test.data)); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
