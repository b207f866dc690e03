package obsidian

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// front is the content of a note's properties.
type front struct {
	tags, aliases []string
	rest          canon.Value // the other properties, unchanged
}

func (f front) isEmpty() bool { return len(f.tags)+len(f.aliases)+f.rest.Len() == 0 }

// properties reads the front matter of a note.
func properties(n *notebook.Note) front {
	var f front
	var rest []canon.Member
	for _, m := range n.Front.Members() {
		switch {
		case slices.Contains(n.Dated, m.Name):
		case m.Name == "tags" || m.Name == "tag":
			for _, tag := range markdown.List(m.Value) {
				f.tags = append(f.tags, strings.TrimPrefix(tag, "#"))
			}
		case m.Name == "aliases" || m.Name == "alias":
			f.aliases = append(f.aliases, markdown.List(m.Value)...)
		default:
			rest = append(rest, m)
		}
	}
	f.rest = canon.Object(rest...)
	n.LimitCount("tags", len(f.tags))
	n.LimitCount("aliases", len(f.aliases))
	return f
}

// structured returns the structured body of a note; inText are the tags in its text.
func (f front) structured(inText []string, fields canon.Value) json.RawMessage {
	tags := slices.Clone(f.tags)
	for _, tag := range inText {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	v := canon.Object()
	for _, m := range []canon.Member{
		{Name: "tags", Value: markdown.Strings(tags)},
		{Name: "aliases", Value: markdown.Strings(f.aliases)},
		{Name: "properties", Value: f.rest},
		{Name: "fields", Value: fields},
	} {
		if m.Value.Len() > 0 {
			v = v.With(m.Name, m.Value)
		}
	}
	if v.Len() == 0 {
		return nil
	}
	return v.Append(nil)
}
