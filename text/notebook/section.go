package notebook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// long is the least number of bytes of a note that is read section by section.
const long = 4000

// Section is a part of a note that makes one memory.
type Section struct {
	Key  string // its heading, with a number if an earlier one is the same; empty: the first
	Text string
	tail string // blank space after it
	last bool
}

// Sections yields the sections of a note: all of it, or of a long one the text before its
// first top heading and one section for each of them. The residue, which [Rejoin] needs, is
// the note's path and, of the first section, what is outside the texts. mask blanks what is
// no Markdown.
func (n *Note) Sections(path string, mask func(string) string, yield func(s Section, residue canon.Value, line int)) {
	text := strings.Trim(n.Body, " \t\r\n")
	start := strings.Index(n.Body, text)
	parts := sections(text, mask)
	if n.LimitCount("sections", len(parts)); len(parts) > n.Limits.Items {
		return
	}
	var marks []string
	for _, p := range parts[1:] {
		marks = append(marks, markdown.Digest(p.Key))
	}
	line := n.Line + strings.Count(n.Body[:start], "\n")
	for i, p := range parts {
		p.last = i == len(parts)-1
		if p.last {
			p.tail = n.Body[start+len(text):]
		}
		residue := canon.Object(canon.Member{Name: "path", Value: canon.String(path)})
		if i == 0 {
			residue = n.outside(residue, n.Body[:start], marks)
		} else {
			residue = residue.With("part", canon.String(p.Key))
		}
		yield(p, residue, line)
		line += strings.Count(p.Text+p.tail, "\n")
	}
}

// outside adds to the residue of the first memory of a note the data outside the texts.
func (n *Note) outside(residue canon.Value, lead string, marks []string) canon.Value {
	put := func(name string, v canon.Value, yes bool) {
		if yes {
			residue = residue.With(name, v)
		}
	}
	put("front", canon.String(n.Raw), n.Raw != "")
	put("lead", canon.String(lead), lead != "")
	put("parts", markdown.Strings(marks), len(marks) > 0)
	put("crlf", canon.Bool(true), n.File.CRLF)
	put("bom", canon.Bool(true), n.File.Mark)
	return residue
}

// Residue completes the residue of a section whose memory has a text.
func (s Section) Residue(residue canon.Value, text string) canon.Value {
	if s.tail != s.usual() {
		residue = residue.With("tail", canon.String(s.tail))
	}
	return residue.With("sum", canon.String(markdown.Digest(text)))
}

// usual is the blank space expected after a section.
func (s Section) usual() string {
	if s.last {
		return "\n"
	}
	return "\n\n"
}

// sections splits a long text at its top headings: those of the highest level that occurs
// more than once.
func sections(text string, mask func(string) string) []Section {
	if len(text) <= long {
		return []Section{{Text: text}}
	}
	starts := topHeadings(mask(text))
	parts := make([]Section, 0, len(starts)+1)
	seen := map[string]int{}
	from := 0
	for _, at := range append(starts, len(text)) {
		if at == 0 {
			continue
		}
		body := strings.TrimRight(text[from:at], " \t\r\n")
		p := Section{Text: body, tail: text[from+len(body) : at]}
		if from > 0 {
			line, _, _ := strings.Cut(body, "\n")
			_, words := markdown.Heading(line)
			p.Key = words
			for seen[p.Key] > 0 {
				seen[words]++
				p.Key = fmt.Sprint(words, " ", seen[words])
			}
			seen[p.Key]++
		}
		parts, from = append(parts, p), at
	}
	return parts
}

// topHeadings returns where the sections of a text begin.
func topHeadings(plain string) []int {
	starts := map[int][]int{}
	at := 0
	for line := range strings.Lines(plain) {
		if level, words := markdown.Heading(strings.TrimRight(line, "\r\n")); words != "" {
			starts[level] = append(starts[level], at)
		}
		at += len(line)
	}
	for level := 1; level <= 6; level++ {
		if len(starts[level]) > 1 {
			return slices.Clip(starts[level])
		}
	}
	return nil
}

// Rejoin makes a note again from the records of its sections, if all are there and
// unedited. format is that of their residue; words returns the text of a section that a
// record comes from.
func Rejoin(format string, words func(r memory.Record, residue canon.Value) string) func([]memory.Record) (Draft, []memory.Record, bool) {
	return func(records []memory.Record) (d Draft, left []memory.Record, ok bool) {
		byMark := map[string][]memory.Record{}
		var heads []memory.Record
		for _, r := range records {
			residue, _ := codec.Residue(r, format)
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
		head, _ := codec.Residue(heads[0], format)
		marks := head.Get("parts").Items()
		d = Draft{
			Path: head.Get("path").Text(), Records: heads, Whole: true,
			File: markdown.File{Mark: head.Get("bom").True(), CRLF: head.Get("crlf").True()},
		}
		var text strings.Builder
		text.WriteString(head.Get("front").Text() + head.Get("lead").Text() + words(heads[0], head) + tailOf(head, len(marks) == 0))
		for i, mark := range marks {
			found := byMark[mark.Text()]
			if len(found) != 1 {
				return d, nil, false
			}
			d.Records = append(d.Records, found[0])
			residue, _ := codec.Residue(found[0], format)
			text.WriteString(words(found[0], residue) + tailOf(residue, i == len(marks)-1))
		}
		d.File.Text = text.String()
		return d, nil, len(d.Records) == len(records)
	}
}

// tailOf returns the blank space after a section.
func tailOf(residue canon.Value, last bool) string {
	if tail := residue.Get("tail"); tail.Type() == canon.TypeString {
		return tail.Text()
	}
	return Section{last: last}.usual()
}
