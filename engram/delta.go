package engram

import (
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// EncodeDelta writes the answer of the diff endpoint (section 3.9), which nobody signs. It
// writes constraints when one of their lists is not nil (edition 0.1.2).
func EncodeDelta(d Delta) []byte {
	var beliefs, changes object
	beliefs.add("added", arrayOf(d.Added))
	beliefs.add("updated", arrayOf(d.Updated))
	beliefs.add("deleted", arrayOf(d.Deleted))
	changes.add("beliefs", beliefs.value())
	if d.NewConstraints != nil || d.DeletedConstraints != nil {
		var constraints object
		constraints.add("added", arrayOf(d.NewConstraints))
		constraints.add("deleted", arrayOf(d.DeletedConstraints))
		changes.add("constraints", constraints.value())
	}
	changes.add("corrections", added(arrayOf(d.Corrections)))
	changes.add("evolution", added(arrayOf(d.Evolution)))
	if d.Identity != nil {
		changes.add("identity", canon.Object(canon.Member{Name: "updated", Value: d.Identity.Wire()}))
	}
	var o object
	o.must("engram_version", Version)
	o.must("since", exactInstant(d.Since))
	o.must("generated_at", exactInstant(d.GeneratedAt))
	o.add("changes", changes.value())
	return o.value().AppendCanonical(nil)
}

func added(list canon.Value) canon.Value {
	return canon.Object(canon.Member{Name: "added", Value: list})
}

// exactInstant keeps fractions of a second: changes follow each other fast.
func exactInstant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z07:00") }

// ParseDelta reads an answer of the diff endpoint. The error is a
// [*codec.ParseError].
func ParseDelta(raw []byte, o ReadOptions) (Delta, error) {
	v, err := canon.Parse(raw, o.canon())
	if err != nil {
		return Delta{}, notJSON(err)
	}
	if _, err := CheckVersion(v.Get("engram_version").Text(), o.Supported); err != nil {
		return Delta{}, &codec.ParseError{Format: Name, Path: "/engram_version", Rule: "ENGRAM-3.10-1", Err: err}
	}
	changes := v.Get("changes")
	beliefs, constraints := changes.Get("beliefs"), changes.Get("constraints")
	d := Delta{
		Since: instant(v.Get("since")), GeneratedAt: instant(v.Get("generated_at")),
		Added:              listOf(beliefs.Get("added"), ReadBelief),
		Updated:            listOf(beliefs.Get("updated"), ReadBelief),
		Deleted:            listOf(beliefs.Get("deleted"), readTombstone),
		Corrections:        listOf(changes.Get("corrections").Get("added"), ReadCorrection),
		Evolution:          listOf(changes.Get("evolution").Get("added"), ReadChange),
		NewConstraints:     listOf(constraints.Get("added"), ReadConstraint),
		DeletedConstraints: listOf(constraints.Get("deleted"), readTombstone),
	}
	if updated := changes.Get("identity").Get("updated"); updated.Type() == canon.TypeObject {
		i := ReadIdentity(updated)
		d.Identity = &i
	}
	return d, d.check(v)
}

// check refuses a delta that cannot update a document.
func (d Delta) check(v canon.Value) error {
	refuse := func(path, rule, what string) error {
		return &codec.ParseError{Format: Name, Path: path, Rule: rule, Err: errors.New(what)}
	}
	if d.GeneratedAt.IsZero() {
		return refuse("/generated_at", "ENGRAM-3.9-DIFF-2", "there is no time at which it was generated")
	}
	lists := [][]string{
		{"beliefs", "added"}, {"beliefs", "updated"}, {"beliefs", "deleted"}, {"corrections", "added"}, {"evolution", "added"},
	}
	for _, at := range lists {
		list := v.Get("changes").Get(at[0]).Get(at[1])
		path := canon.Pointer("changes", at[0], at[1])
		if list.Type() != canon.TypeArray {
			return refuse(path, "ENGRAM-3.9-DIFF-3", "it is no array")
		}
		if slices.ContainsFunc(list.Items(), func(x canon.Value) bool { return x.Get("id").Text() == "" }) {
			return refuse(path, "ENGRAM-3.9-DIFF-3", "it holds something without an id")
		}
	}
	return nil
}

// Apply brings a document up to date with a delta. The result is unsigned and expires when
// the document did (decision E-31). Apply modifies neither argument.
func Apply(d Document, delta Delta) Document {
	d.Signature, d.Kid, d.Value = Signature{Value: Unsigned}, "", canon.Value{}
	gone := map[string]bool{}
	for _, t := range delta.Deleted {
		gone[t.ID] = true
	}
	living := func(belief string) bool { return !gone[belief] }
	d.Beliefs = keep(upsert(d.Beliefs, slices.Concat(delta.Added, delta.Updated), idOfBelief), func(b Belief) bool { return living(b.ID) })
	d.Evolution = keep(upsert(d.Evolution, delta.Evolution, idOfChange), func(c Change) bool { return living(c.Belief) })
	d.Corrections = keep(upsert(d.Corrections, delta.Corrections, idOfCorrection), func(c Correction) bool { return living(c.Belief) })
	d.Constraints = applyConstraints(d.Constraints, delta)
	if delta.Identity != nil {
		d.Identity = *delta.Identity
	}
	return d
}

// applyConstraints updates constraints; nil stays nil when the delta brings none.
func applyConstraints(list []Constraint, delta Delta) []Constraint {
	if list == nil && len(delta.NewConstraints) == 0 {
		return nil
	}
	list = upsert(list, delta.NewConstraints, idOfConstraint)
	return keep(list, func(k Constraint) bool {
		return !slices.ContainsFunc(delta.DeletedConstraints, func(t Tombstone) bool { return t.ID == k.ID })
	})
}

func idOfBelief(b Belief) string         { return b.ID }
func idOfChange(c Change) string         { return c.ID }
func idOfCorrection(c Correction) string { return c.ID }
func idOfConstraint(k Constraint) string { return k.ID }

// upsert replaces the items that share an id with news, and appends the others.
func upsert[T any](list, news []T, id func(T) string) []T {
	out := slices.Clone(list)
	at := make(map[string]int, len(list))
	for i, x := range out {
		at[id(x)] = i
	}
	for _, x := range news {
		if i, ok := at[id(x)]; ok {
			out[i] = x
			continue
		}
		at[id(x)] = len(out)
		out = append(out, x)
	}
	return out
}
