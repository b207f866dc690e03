package conversation

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Note is a memory, an instruction or a document that a platform keeps beside the
// conversations.
type Note struct {
	Kind    memory.Kind
	Text    string
	Ref     []string    // the path of names to the note, such as "memories", "m-1"; an empty last name: the note has none
	Pointer string      // the note's place in its element
	About   string      // name of the note's subject; empty: none
	Made    time.Time   // zero: unknown
	Changed time.Time   // zero: unknown
	Ended   time.Time   // when it stopped being true; zero: it is true
	Rest    canon.Value // the note's other members; undefined: none
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
	for i, p := range pieces([]utterance{{text: n.Text}}, pieceLength) {
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

// Rest returns the members of an object that are texts, numbers or true, without the named
// ones; undefined: there are none. The second result is whether Rest left out other members
// that are not empty.
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

// Raw spells an object as JSON; nil: it has no members.
func Raw(v canon.Value) json.RawMessage {
	if v.Len() == 0 {
		return nil
	}
	return v.Append(nil)
}
