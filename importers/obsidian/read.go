package obsidian

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// long is the least number of bytes of a note that is read section by section.
const long = 4000

// read makes memories of a note.
func read(n *notebook.Note) {
	if n.Own {
		readOwn(n)
		return
	}
	front := properties(n)
	text := strings.Trim(n.Body, " \t\r\n")
	if text == "" && front.isEmpty() {
		return
	}
	start := strings.Index(n.Body, text)
	parts := sections(text)
	if n.LimitCount("sections", len(parts)); len(parts) > n.Limits.Items {
		return
	}
	var marks []string
	for _, p := range parts[1:] {
		marks = append(marks, markdown.Digest(p.key))
	}
	line := n.Line + strings.Count(n.Body[:start], "\n")
	for i, p := range parts {
		p.last = i == len(parts)-1
		if p.last {
			p.tail = n.Body[start+len(text):]
		}
		residue := canon.Object(canon.Member{Name: "path", Value: canon.String(n.Path)})
		if i == 0 {
			residue = head(n, residue, n.Body[:start], marks)
		} else {
			residue = residue.With("part", canon.String(p.key))
			front.aliases, front.rest = nil, canon.Object()
		}
		add(n, p, front, residue, line)
		line += strings.Count(p.text+p.tail, "\n")
	}
}

// head is the residue of the first memory of a note: the data outside the texts.
func head(n *notebook.Note, residue canon.Value, lead string, marks []string) canon.Value {
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

// add makes a memory of a section, or of the whole note.
func add(n *notebook.Note, p part, front front, residue canon.Value, line int) {
	text, bare := titled(title(n.Path), p.text)
	if bare {
		residue = residue.With("bare", canon.Bool(true))
	}
	if p.tail != p.usual() {
		residue = residue.With("tail", canon.String(p.tail))
	}
	residue = residue.With("sum", canon.String(markdown.Digest(text)))
	plain := masked(p.text)
	r := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Time: n.Times}
	if at, ok := day(n.Path); ok {
		r.Kind, r.Time.Observed = memory.Episodic, at
	}
	found := fields(plain)
	for _, f := range found {
		n.LimitName(f.key, line)
	}
	r.Body.Structured = front.structured(markdown.Tags(plain), fieldsOf(found))
	r.Relations = relations(n, front, found, plain)
	n.LimitCount("links", len(r.Relations))
	ref := n.Ref("")
	if p.key != "" {
		n.LimitName(p.key, line)
		ref = n.Ref(n.Path + "/" + p.key)
	}
	n.Add(codec.WithResidue(r, formatName, residue), ref, line)
}

// relations returns the note's subject and its links as relations.
func relations(n *notebook.Note, front front, found []field, plain string) []memory.Relation {
	r := relationSet{own: title(n.Path), seen: map[memory.Relation]bool{}, to: map[string]bool{}}
	r.list = append(r.list, memory.Relation{Type: memory.About, Target: "entity:" + r.own})
	for _, m := range front.rest.Members() {
		for _, text := range texts(m.Value) {
			r.links(m.Name, text)
		}
	}
	for _, f := range found {
		r.links(f.key, f.value)
	}
	r.links(linksTo, plain)
	for _, rel := range r.list {
		n.LimitName(rel.Target, n.Line)
	}
	return r.list
}

// titled puts the name of a note before its text, so that it stands alone; bare says that
// the text begins with its name already.
func titled(name, text string) (with string, bare bool) {
	first, _, _ := strings.Cut(text, "\n")
	if level, words := markdown.Heading(first); level == 1 && strings.EqualFold(words, name) {
		return text, true
	}
	return strings.TrimRight("# "+name+"\n\n"+text, "\n"), false
}

// part is a section of a note.
type part struct {
	key  string // its heading, with a number if an earlier one is the same; empty: the first
	text string
	tail string // blank space after it
	last bool
}

// usual is the blank space expected after a section.
func (p part) usual() string {
	if p.last {
		return "\n"
	}
	return "\n\n"
}

// sections splits a long text at its top headings: those of the highest level that occurs
// more than once.
func sections(text string) []part {
	if len(text) <= long {
		return []part{{text: text}}
	}
	starts := topHeadings(text)
	parts := make([]part, 0, len(starts)+1)
	seen := map[string]int{}
	from := 0
	for _, at := range append(starts, len(text)) {
		if at == 0 {
			continue
		}
		body := strings.TrimRight(text[from:at], " \t\r\n")
		p := part{text: body, tail: text[from+len(body) : at]}
		if from > 0 {
			line, _, _ := strings.Cut(body, "\n")
			_, words := markdown.Heading(line)
			p.key = words
			for seen[p.key] > 0 {
				seen[words]++
				p.key = fmt.Sprint(words, " ", seen[words])
			}
			seen[p.key]++
		}
		parts, from = append(parts, p), at
	}
	return parts
}

// topHeadings returns where the sections of a text begin.
func topHeadings(text string) []int {
	plain := masked(text)
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
