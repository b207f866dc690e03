package obsidian

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/notebook"
)

// group names the note that a record comes from.
func group(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	return residue.Get("path").Text()
}

// words returns the lines of a note that a record comes from.
func words(r memory.Record, residue canon.Value) string {
	if residue.Get(notebook.SaidMember).True() {
		return ""
	}
	if residue.Get("bare").True() {
		return r.Body.Text
	}
	return strings.TrimPrefix(strings.TrimPrefix(r.Body.Text, "# "+title(residue.Get("path").Text())), "\n\n")
}
