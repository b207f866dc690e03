package notebook

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// ReadOwn makes a memory of a note that [Compose] made. The text is the whole memory, and
// the properties give the relations. Those in ignored say nothing.
func (n *Note) ReadOwn(ignored ...string) {
	text := strings.TrimSuffix(strings.TrimPrefix(n.Body, "\n"), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	r := n.Record()
	r.Body.Text = text
	var rest, known []canon.Member
	for _, m := range n.Front.Members() {
		switch {
		case m.Name == "tags" || m.Name == "aliases":
			known = append(known, m)
			n.LimitCount(m.Name, m.Value.Len())
		case isReserved(m.Name), slices.Contains(ignored, m.Name):
		case linked(m.Value) != nil:
			for _, name := range linked(m.Value) {
				r.Relations = append(r.Relations, memory.Relation{Type: m.Name, Target: "entity:" + name})
				n.LimitName(name, 1)
			}
		default:
			rest = append(rest, m)
		}
	}
	n.LimitCount("links", len(r.Relations))
	if len(rest) > 0 {
		known = append(known, canon.Member{Name: "properties", Value: canon.Object(rest...)})
	}
	if len(known) > 0 {
		r.Body.Structured = canon.Object(known...).Append(nil)
	}
	n.Add(r, n.Ref(""), n.Line)
}

// isReserved reports whether a property of Satchel's own notes has a meaning of its own.
func isReserved(name string) bool {
	return slices.Contains([]string{
		markdown.WrittenBy, "kind", "created", "observed", "valid_from", "valid_to", "project", "tags", "aliases", "tag", "alias",
	}, name)
}

// linked returns the names in a property that is a list of links and nothing else; nil: it
// is not.
func linked(v canon.Value) []string {
	var names []string
	for _, item := range v.Items() {
		name := strings.TrimSuffix(strings.TrimPrefix(item.Text(), "[["), "]]")
		if !linkable(name) || item.Text() != "[["+name+"]]" {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// linkable reports whether a link between notes can lead to a name.
func linkable(name string) bool {
	return name != "" && !strings.ContainsAny(name, "[]|#^\n\r") && strings.TrimSpace(name) == name
}

// Compose makes a note of each record: its properties, and its text as it is. place names
// the note. render spells the properties, with the dashes.
func Compose(records []memory.Record, place func(memory.Record) string, render func(memory.Record, canon.Value) (string, error)) ([]Draft, error) {
	drafts := make([]Draft, len(records))
	for i, r := range records {
		front, err := render(r, ownFront(r))
		if err != nil {
			return nil, err
		}
		text := markdown.Seal(front + "\n" + r.Body.Text + "\n")
		drafts[i] = Draft{Path: place(r), File: markdown.File{Text: text}, Records: records[i : i+1]}
	}
	return drafts, nil
}

// ownFront returns the properties of a record's note.
func ownFront(r memory.Record) canon.Value {
	members := append([]canon.Member{{Name: markdown.WrittenBy, Value: canon.String(markdown.Unsealed)}}, Properties(r)...)
	put := func(name string, v canon.Value) { members = append(members, canon.Member{Name: name, Value: v}) }
	structured := codec.Structured(r)
	for _, name := range []string{"tags", "aliases"} {
		if v := structured.Get(name); v.Len() > 0 && len(Texts(v)) == v.Len() {
			put(name, v)
		}
	}
	for _, m := range structured.Get("properties").Members() {
		if !isReserved(m.Name) {
			put(m.Name, m.Value)
		}
	}
	for _, m := range linksOf(r) {
		if !slices.ContainsFunc(members, func(other canon.Member) bool { return other.Name == m.Name }) {
			members = append(members, m)
		}
	}
	return canon.Object(members...)
}

// linksOf returns the relations of a record to entities as properties.
func linksOf(r memory.Record) []canon.Member {
	var order []string
	links := map[string][]string{}
	for _, rel := range r.Relations {
		name, ok := strings.CutPrefix(rel.Target, "entity:")
		if !ok || !linkable(name) || isReserved(rel.Type) {
			continue
		}
		if links[rel.Type] == nil {
			order = append(order, rel.Type)
		}
		links[rel.Type] = append(links[rel.Type], "[["+name+"]]")
	}
	members := make([]canon.Member, len(order))
	for i, kind := range order {
		members[i] = canon.Member{Name: kind, Value: markdown.Strings(links[kind])}
	}
	return members
}

// Texts returns the texts in a property: itself, or those in its list.
func Texts(v canon.Value) []string {
	if v.Type() == canon.TypeString {
		return []string{v.Text()}
	}
	var out []string
	for _, item := range v.Items() {
		if item.Type() == canon.TypeString {
			out = append(out, item.Text())
		}
	}
	return out
}

// Said returns the texts of properties, a line for each, without the named ones: the text of
// a note that has no other. Its residue has [SaidMember], since none of it is in the body.
func Said(properties canon.Value, without ...string) string {
	var lines []string
	for _, m := range properties.Members() {
		texts := slices.DeleteFunc(Texts(m.Value), func(text string) bool { return strings.TrimSpace(text) == "" })
		if len(texts) > 0 && !slices.Contains(without, m.Name) {
			lines = append(lines, m.Name+": "+strings.Join(texts, ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// SaidMember is the member of a residue, true, of a memory whose text is that of [Said].
const SaidMember = "said"
