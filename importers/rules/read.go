package rules

import (
	"cmp"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// read makes memories of a file.
func (t *tool) read(n *notebook.Note) {
	n.Front = t.common(n.Front)
	if n.Own {
		n.ReadOwn(t.implied(n)...)
		return
	}
	said := ""
	if strings.Trim(n.Body, " \t\r\n") == "" {
		if said = notebook.Said(n.Front, append([]string{globs}, t.marks...)...); said == "" {
			return
		}
	}
	home := t.home(n.Folder, n.Path)
	n.Sections(home, markdown.MaskCode, func(s notebook.Section, residue canon.Value, line int) {
		r := memory.Record{Kind: t.kind(home), Body: memory.Body{Text: cmp.Or(s.Text, said)}, Time: n.Times}
		if said != "" {
			residue = residue.With(notebook.SaidMember, canon.Bool(true))
		}
		ref := n.Ref("")
		if s.Key != "" {
			n.LimitName(s.Key, line)
			ref = n.Ref(n.Path + "/" + s.Key)
		} else if n.Front.Len() > 0 {
			r.Body.Structured = canon.Object(canon.Member{Name: "properties", Value: n.Front}).Append(nil)
		}
		n.Add(codec.WithResidue(r, t.name, s.Residue(residue, r.Body.Text)), ref, line)
	})
}

// common returns properties with the name that patterns of files have elsewhere.
func (t *tool) common(front canon.Value) canon.Value { return renamed(front, t.globs, globs) }

// globs is the property, among those of a memory, of the files that it is about.
const globs = "globs"

// renamed returns an object with another name for one of its members.
func renamed(v canon.Value, from, to string) canon.Value {
	if from == to || !v.Has(from) || v.Has(to) {
		return v
	}
	var members []canon.Member
	for _, m := range v.Members() {
		if m.Name == from {
			m.Name = to
		}
		members = append(members, m)
	}
	return canon.Object(members...)
}

// implied returns the properties of a file of Satchel's that say nothing about its memory:
// those that the writer added.
func (t *tool) implied(n *notebook.Note) (names []string) {
	text := strings.TrimSuffix(strings.TrimPrefix(n.Body, "\n"), "\n")
	added := canon.Object(t.added(n.Record().Kind, markdown.Title(text))...)
	for _, m := range t.common(added).Members() {
		if canon.Equal(n.Front.Get(m.Name), m.Value) {
			names = append(names, m.Name)
		}
	}
	return names
}

// group names the file that a record comes from.
func (t *tool) group(r memory.Record) string {
	residue, _ := codec.Residue(r, t.name)
	return residue.Get("path").Text()
}

// words returns the lines of a file that a record comes from.
func words(r memory.Record, residue canon.Value) string {
	if residue.Get(notebook.SaidMember).True() {
		return ""
	}
	return r.Body.Text
}
