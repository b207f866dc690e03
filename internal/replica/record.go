package replica

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Record is what machines know of one record: its origin, and facts that only grow. They and
// the other records determine the present form of the record.
type Record struct {
	Origin []byte `cbor:"1,keyasint,omitempty"` // as its author wrote it; empty if Shell is set
	// Shell is the canonical form of a record that was emptied because its retention is over,
	// without integrity, see ump.Shell.
	Shell   []byte    `cbor:"2,keyasint,omitempty"`
	Import  string    `cbor:"3,keyasint,omitempty"` // key of the import that brought it
	Lineage memory.ID `cbor:"4,keyasint,omitempty"` // the first version of its memory
	// Base is the canonical form of the record without the changes that the other fields
	// describe. It is empty if it equals the origin.
	Base      []byte            `cbor:"5,keyasint,omitempty"`
	Forgets   []Forget          `cbor:"6,keyasint,omitempty"`
	Undone    [][]byte          `cbor:"7,keyasint,omitempty"` // the marks of acts that were undone
	Ends      []End             `cbor:"8,keyasint,omitempty"`
	Evidence  []Evidence        `cbor:"9,keyasint,omitempty"`  // added later
	Relations []memory.Relation `cbor:"10,keyasint,omitempty"` // added later
}

// Forget is one act by which a record was forgotten, or a proposal decided.
type Forget struct {
	Reason   []byte `cbor:"1,keyasint"`           // canonical JSON: when and why
	Decision []byte `cbor:"2,keyasint,omitempty"` // canonical JSON: the decision on a proposal
	Actor    string `cbor:"3,keyasint,omitempty"` // who acted, if not the record's author
	Approved bool   `cbor:"4,keyasint,omitempty"` // the proposal was approved: another record states its content
}

// Mark returns a digest of the act. Different acts have different marks.
func (f Forget) Mark() []byte { return digest(Encode(f)) }

// End ends a record's valid time, or names a successor that this machine may not have.
type End struct {
	At time.Time `cbor:"1,keyasint,omitempty"` // zero: By alone
	By memory.ID `cbor:"2,keyasint,omitempty"` // empty: At alone
}

// Evidence is a piece of evidence that was added to a record.
type Evidence struct {
	Ref      string  `cbor:"1,keyasint"`
	Weight   float64 `cbor:"2,keyasint,omitempty"`
	Weighted bool    `cbor:"3,keyasint,omitempty"` // false: it has no weight
}

// Join unites two states of the same record.
func (r Record) Join(o Record) Record {
	out := Record{
		Shell:     joinShells(r.Shell, o.Shell),
		Import:    lesser(r.Import, o.Import),
		Lineage:   lesser(r.Lineage, o.Lineage),
		Base:      greater(r.Base, o.Base),
		Forgets:   union(r.Forgets, o.Forgets, compareForgets),
		Undone:    union(r.Undone, o.Undone, bytes.Compare),
		Ends:      union(r.Ends, o.Ends, compareEnds),
		Evidence:  union(r.Evidence, o.Evidence, compareEvidence),
		Relations: union(r.Relations, o.Relations, CompareRelations),
	}
	if out.Shell == nil {
		out.Origin = lesserBytes(r.Origin, o.Origin)
		return out
	}
	// The content of an emptied record is gone, and so are the facts about it.
	return Record{Shell: out.Shell, Import: out.Import, Lineage: out.Lineage}
}

// InForce returns the act by which the record is forgotten; ok is false if it is not. Of
// several acts that were not undone, an approval wins, then the bytewise smaller act.
func (r Record) InForce() (f Forget, ok bool) {
	for _, one := range r.Forgets {
		if slices.ContainsFunc(r.Undone, func(m []byte) bool { return bytes.Equal(m, one.Mark()) }) {
			continue
		}
		if !ok || one.Approved && !f.Approved || one.Approved == f.Approved && compareForgets(one, f) < 0 {
			f, ok = one, true
		}
	}
	return f, ok
}

// TakeBack returns r with every act of forgetting undone.
func (r Record) TakeBack() Record {
	for _, f := range r.Forgets {
		r.Undone = union(r.Undone, [][]byte{f.Mark()}, bytes.Compare)
	}
	return r
}

func compareForgets(a, b Forget) int { return bytes.Compare(Encode(a), Encode(b)) }

func compareEnds(a, b End) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.By, b.By)) }

func compareEvidence(a, b Evidence) int {
	return cmp.Or(cmp.Compare(a.Ref, b.Ref), cmp.Compare(a.Weight, b.Weight), bytes.Compare(Encode(a), Encode(b)))
}

// CompareRelations orders relations by type, then by target, for slices.SortFunc.
func CompareRelations(a, b memory.Relation) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Target, b.Target))
}

// joinShells joins the shells that two machines made of one record: they may differ in the
// successors and in the end of the valid time.
func joinShells(a, b []byte) []byte {
	if a == nil || b == nil || bytes.Equal(a, b) {
		return greater(a, b)
	}
	x, errX := canon.Parse(a, canon.Options{})
	y, errY := canon.Parse(b, canon.Options{})
	if errX != nil || errY != nil || x.Type() != canon.TypeObject || y.Type() != canon.TypeObject {
		return greater(a, b)
	}
	by := successors(x, y)
	end := earlier(x.Get("time").Get("valid_to").Text(), y.Get("time").Get("valid_to").Text())
	bare := func(v canon.Value) canon.Value {
		v = v.Without("superseded_by")
		if times := v.Get("time"); times.Type() == canon.TypeObject {
			v = v.With("time", times.Without("valid_to"))
		}
		return v
	}
	x, y = bare(x), bare(y)
	if bytes.Compare(x.AppendCanonical(nil), y.AppendCanonical(nil)) < 0 {
		x = y
	}
	if len(by) > 0 {
		x = x.With("superseded_by", canon.Array(by...))
	}
	if times := x.Get("time"); end != "" && times.Type() == canon.TypeObject {
		x = x.With("time", times.With("valid_to", canon.String(end)))
	}
	return x.AppendCanonical(nil)
}

func successors(x, y canon.Value) []canon.Value {
	all := append(slices.Clone(x.Get("superseded_by").Items()), y.Get("superseded_by").Items()...)
	slices.SortFunc(all, func(a, b canon.Value) int { return cmp.Compare(a.Text(), b.Text()) })
	return slices.CompactFunc(all, func(a, b canon.Value) bool { return a.Text() == b.Text() })
}

// earlier returns the earlier of two instants in RFC 3339; of two spellings of one instant, the
// lesser. Text that is not an instant counts as none.
func earlier(a, b string) string {
	x, errX := time.Parse(time.RFC3339Nano, a)
	y, errY := time.Parse(time.RFC3339Nano, b)
	switch {
	case errX != nil && errY != nil:
		return lesser(a, b)
	case errX != nil:
		return b
	case errY != nil:
		return a
	case x.Equal(y):
		return min(a, b)
	case y.Before(x):
		return b
	}
	return a
}
