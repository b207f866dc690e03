package basicmemory

import (
	"maps"
	"slices"
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
	return residue.Get("note").Text()
}

// restore makes a note again, if the memory of the note itself is there and unedited. It
// leaves out lines without a memory, and returns edited memories in left.
func restore(records []memory.Record) (d notebook.Draft, left []memory.Record, ok bool) {
	lines := lines{}
	var heads []memory.Record
	for _, r := range records {
		if residue, _ := codec.Residue(r, formatName); residue.Has("source") {
			heads = append(heads, r)
			continue
		}
		lines[markOf(r)] = append(lines[markOf(r)], r)
	}
	if len(heads) != 1 {
		return d, nil, false
	}
	residue, _ := codec.Residue(heads[0], formatName)
	if residue.Get("sum").Text() != markdown.Digest(heads[0].Body.Text) {
		return d, nil, false
	}
	d = notebook.Draft{
		Path: residue.Get("path").Text(), Records: heads, Whole: true,
		File: markdown.File{Mark: residue.Get("bom").True(), CRLF: residue.Get("crlf").True()},
	}
	left = lines.put(&d, residue.Get("source").Items())
	if !d.Whole {
		d.File.Text = withMark(d.File.Text)
	}
	return d, left, true
}

// lines are memories of one line each, by their marks.
type lines map[string][]memory.Record

// put writes a note: its parts unchanged, and lines in their places. It returns the
// memories without a place.
func (l lines) put(d *notebook.Draft, parts []canon.Value) (left []memory.Record) {
	used := map[string]bool{}
	var text strings.Builder
	for _, part := range parts {
		if part.Type() == canon.TypeString {
			text.WriteString(part.Text())
			continue
		}
		mark := part.Get("line").Text()
		there := l[mark]
		if len(there) == 0 {
			d.Whole = false
			continue
		}
		d.Records = append(d.Records, there[0])
		text.WriteString(lineOf(there[0]))
		if !part.Get("open").True() {
			text.WriteByte('\n')
		}
		if used[mark] = true; len(there) > 1 { // the last may stand for several equal lines
			l[mark] = there[1:]
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(l)) {
		there := l[mark]
		if used[mark] {
			there = there[1:]
		}
		left = append(left, there...)
	}
	d.File.Text = text.String()
	return left
}

// lineOf returns the line of a memory, spelled as it was or else as the program does.
func lineOf(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	if line := residue.Get("line"); line.Type() == canon.TypeString {
		return line.Text()
	}
	v := codec.Structured(r)
	if category := v.Get("category").Text(); category != "" {
		_, content, _ := strings.Cut(r.Body.Text, ": ")
		if name := about(r); name != "" {
			content = strings.TrimPrefix(r.Body.Text, name+": ")
		}
		return observation{category, content}.line()
	}
	if len(r.Relations) != 2 {
		return ""
	}
	to, _ := strings.CutPrefix(r.Relations[1].Target, "entity:")
	return relation{r.Relations[1].Type, to, v.Get("context").Text()}.line()
}

// about returns the first entity that a record is about.
func about(r memory.Record) string {
	if len(r.Relations) == 0 || r.Relations[0].Type != memory.About {
		return ""
	}
	name, _ := strings.CutPrefix(r.Relations[0].Target, "entity:")
	return name
}

// withMark puts the mark into a changed note.
func withMark(text string) string {
	property := markdown.WrittenBy + ": " + markdown.Unsealed + "\n"
	front, _, found, closed := markdown.Split(text)
	if !found || !closed {
		return markdown.Seal("---\n" + property + "---\n" + text)
	}
	for line := range strings.Lines(front) { // an older mark
		if strings.HasPrefix(line, markdown.WrittenBy+":") {
			text = strings.Replace(text, line, "", 1)
		}
	}
	return markdown.Seal("---\n" + property + strings.TrimPrefix(text, "---\n"))
}
