package obsidian

import (
	"cmp"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// read makes memories of a note.
func read(n *notebook.Note) {
	if n.Own {
		n.ReadOwn()
		return
	}
	front := properties(n)
	if strings.Trim(n.Body, " \t\r\n") == "" && front.isEmpty() {
		return
	}
	n.Sections(n.Path, masked, func(p notebook.Section, residue canon.Value, line int) {
		if p.Key != "" {
			front.aliases, front.rest = nil, canon.Object()
		}
		add(n, p, front, residue, line)
	})
}

// add makes a memory of a section, or of the whole note.
func add(n *notebook.Note, p notebook.Section, front front, residue canon.Value, line int) {
	said := ""
	if p.Text == "" && p.Key == "" {
		said = notebook.Said(front.rest)
	}
	text, bare := titled(title(n.Path), cmp.Or(p.Text, said))
	if said != "" {
		residue, bare = residue.With(notebook.SaidMember, canon.Bool(true)), false
	}
	if bare {
		residue = residue.With("bare", canon.Bool(true))
	}
	residue = p.Residue(residue, text)
	plain := masked(p.Text)
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
	if p.Key != "" {
		n.LimitName(p.Key, line)
		ref = n.Ref(n.Path + "/" + p.Key)
	}
	n.Add(codec.WithResidue(r, formatName, residue), ref, line)
}

// relations returns the note's subject and its links as relations.
func relations(n *notebook.Note, front front, found []field, plain string) []memory.Relation {
	r := relationSet{own: title(n.Path), seen: map[memory.Relation]bool{}, to: map[string]bool{}}
	r.list = append(r.list, memory.Relation{Type: memory.About, Target: "entity:" + r.own})
	for _, m := range front.rest.Members() {
		for _, text := range notebook.Texts(m.Value) {
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
