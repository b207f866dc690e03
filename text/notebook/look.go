package notebook

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// Most is how many notes of a folder are looked at to tell what it is.
const Most = 50

// Sample returns the first notes of a folder, as many as are looked at to tell what it
// is, and the name that stands for the file in a source that is one.
func Sample(src codec.Source) []string {
	if src.Tree == nil {
		if src.File == nil {
			return nil
		}
		return []string{""}
	}
	tree, err := markdown.Walk(src.Tree, codec.Limits{}.Filled())
	if err != nil {
		return nil
	}
	return tree.Notes[:min(len(tree.Notes), Most)]
}

// Look returns the properties at the beginning of a note, undefined where there are none
// in plain YAML, and what of its body lies there.
func Look(src codec.Source, name string) (front canon.Value, body string) {
	raw, _, err := markdown.Bytes(src, name, codec.HeadSize)
	if err != nil {
		return front, ""
	}
	text := strings.ReplaceAll(strings.TrimPrefix(strings.ToValidUTF8(string(raw), ""), "\ufeff"), "\r\n", "\n")
	properties, body, found, closed := markdown.Split(text)
	if found && closed {
		front = markdown.FrontMatter(properties, codec.Limits{}.Filled()).Value
	}
	return front, body
}
