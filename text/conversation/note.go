package conversation

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Note is what a platform keeps beside the conversations: a memory, an instruction, a
// document.
type Note struct {
	Kind    memory.Kind
	Text    string
	Ref     []string    // of what it is a part of, to the note itself: "memories", "m-1"; an empty one: the note has no name
	Pointer string      // of where it stands in its element
	About   string      // name of what it is about; empty: of nothing that has one
	Made    time.Time   // zero: not said
	Changed time.Time   // zero: not said
	Ended   time.Time   // since when it holds no more; zero: it holds
	Rest    canon.Value // what else was said about it; undefined: nothing
}

// note makes the records of a note, in pieces if it is long.
func (r *records) note(n Note) (made []memory.Record) {
	ref := ""
	for _, part := range n.Ref {
		if part == "" {
			ref = r.place() + n.Pointer
			break
		}
		if ref != "" {
			ref += "/"
		}
		ref += codec.RefPart(part)
	}
	for i, p := range pieces([]said{{text: n.Text}}, pieceLength) {
		record := r.draft(n.Kind, p.text.String(), numbered(ref, i))
		record.Time = memory.Times{
			Created: r.date(cmp.Or(n.Made, n.Changed)), Observed: cmp.Or(n.Changed, n.Made).UTC(), ValidTo: n.Ended.UTC(),
		}
		codec.About(&record, n.About)
		if n.Rest.Len() > 0 {
			record = codec.WithResidue(record, r.shape.Format, n.Rest)
		}
		made = append(made, record)
	}
	return made
}

// Rest returns those members of an object that say something in themselves, texts,
// numbers and true, but not the named ones; undefined: there are none. The second result
// is whether other members that hold something were left out.
func Rest(v canon.Value, without ...string) (rest canon.Value, more bool) {
	skip := map[string]bool{}
	for _, name := range without {
		skip[name] = true
	}
	var members []canon.Member
	for _, m := range v.Members() {
		switch t := m.Value.Type(); {
		case skip[m.Name]:
		case t == canon.TypeString && m.Value.Text() != "", t == canon.TypeNumber, m.Value.True():
			members = append(members, m)
		case m.Value.Len() > 0:
			more = true
		}
	}
	if len(members) == 0 {
		return canon.Value{}, more
	}
	return canon.Object(members...), more
}

// Raw spells an object; nil: it has no members.
func Raw(v canon.Value) json.RawMessage {
	if v.Len() == 0 {
		return nil
	}
	return v.Append(nil)
}
