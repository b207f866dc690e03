package notebook

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// mostSampled is how many notes of a folder Sample returns.
const mostSampled = 50

// Sample returns the first notes of a folder, for detection. If the source is one file, it
// returns the name that stands for that file.
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
	return tree.Notes[:min(len(tree.Notes), mostSampled)]
}

// Look returns the properties at the beginning of a note and its body as far as Look reads
// it. front is undefined if there are no properties in plain YAML.
func Look(src codec.Source, name string) (front canon.Value, body string) {
	return LookSpelled(src, name, nil)
}

// LookSpelled is [Look] for properties that spell makes YAML of; nil: they are YAML.
func LookSpelled(src codec.Source, name string, spell func(string) string) (front canon.Value, body string) {
	raw, err := markdown.Head(src, name, codec.HeadSize)
	if err != nil {
		return front, ""
	}
	text := strings.ReplaceAll(strings.TrimPrefix(strings.ToValidUTF8(string(raw), ""), "\ufeff"), "\r\n", "\n")
	properties, body, found, closed := markdown.Split(text)
	if found && closed && spell != nil {
		properties = spell(properties)
	}
	if found && closed {
		front = markdown.FrontMatter(properties, codec.Limits{}.Filled()).Value
	}
	return front, body
}
