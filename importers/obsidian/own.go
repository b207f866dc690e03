package obsidian

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// compose makes a note of each record.
func compose(records []memory.Record) ([]notebook.Draft, error) {
	return notebook.Compose(records, place, func(_ memory.Record, front canon.Value) (string, error) { return markdown.Render(front) })
}

// place names the note of a record: its note of origin, or a new one.
func place(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	if name := residue.Get("path").Text(); name != "" && !residue.Has("part") {
		return name
	}
	return folder + "/" + markdown.Title(r.Body.Text) + ".md"
}

// folder holds the notes that Satchel writes itself.
const folder = "Memories"
