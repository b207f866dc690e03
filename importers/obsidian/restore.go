package obsidian

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// group names the note that a record comes from.
func group(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	return residue.Get("path").Text()
}

// restore makes a note again from the records of its sections, if all are there and
// unedited.
func restore(records []memory.Record) (d notebook.Draft, left []memory.Record, ok bool) {
	byMark := map[string][]memory.Record{}
	var heads []memory.Record
	for _, r := range records {
		residue, _ := codec.Residue(r, formatName)
		if residue.Get("sum").Text() != markdown.Digest(r.Body.Text) {
			return d, nil, false
		}
		if key := residue.Get("part"); key.Type() == canon.TypeString {
			mark := markdown.Digest(key.Text())
			byMark[mark] = append(byMark[mark], r)
		} else {
			heads = append(heads, r)
		}
	}
	if len(heads) != 1 {
		return d, nil, false
	}
	head, _ := codec.Residue(heads[0], formatName)
	marks := head.Get("parts").Items()
	d = notebook.Draft{
		Path: head.Get("path").Text(), Records: heads, Whole: true,
		File: markdown.File{Mark: head.Get("bom").True(), CRLF: head.Get("crlf").True()},
	}
	var text strings.Builder
	text.WriteString(head.Get("front").Text() + head.Get("lead").Text() + section(d.Path, heads[0], len(marks) == 0))
	for i, mark := range marks {
		found := byMark[mark.Text()]
		if len(found) != 1 {
			return d, nil, false
		}
		d.Records = append(d.Records, found[0])
		text.WriteString(section(d.Path, found[0], i == len(marks)-1))
	}
	d.File.Text = text.String()
	return d, nil, len(d.Records) == len(records)
}

// section returns the lines of a note that a record comes from.
func section(path string, r memory.Record, last bool) string {
	residue, _ := codec.Residue(r, formatName)
	text := r.Body.Text
	if !residue.Get("bare").True() {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "# "+title(path)), "\n\n")
	}
	if tail := residue.Get("tail"); tail.Type() == canon.TypeString {
		return text + tail.Text()
	}
	return text + part{last: last}.usual()
}
