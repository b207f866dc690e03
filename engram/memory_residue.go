package engram

import (
	"math"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The members of body.structured.engram, the residue of Engram in a record:
//
//	{"v": 1,
//	 "id": the belief's, the same in all its versions,
//	 "belief": the belief without id and value; of a version that came in already
//	           replaced, key and category alone,
//	 "gap": true, where no entry of evolution leads to this version,
//	 "evolution": the entry that leads to it, and
//	 "corrections": those that led to it, without belief_id, and without old_value and
//	           new_value where these are the values before and after,
//	 "proposal": of a candidate, the correction without these,
//	 "context": what the runtime said of the occasion of a proposal,
//	 "places": {id: index} of entries that stood out of the order of time,
//	 "identity": of the identity's record, the identity,
//	 "constraint": of a constraint's record, the constraint without its rule,
//	 "issuer", "scope": of the document that it came in,
//	 "envelope": on the identity's record, in conversions without a store}
const (
	residueName        = "engram"
	residueVersion     = "v"
	residueID          = "id"
	residueBelief      = "belief"
	residueGap         = "gap"
	residueEvolution   = "evolution"
	residueCorrections = "corrections"
	residueProposal    = "proposal"
	residueContext     = "context"
	residuePlaces      = "places"
	residueIdentity    = "identity"
	residueConstraint  = "constraint"
	residueIssuer      = "issuer"
	residueScope       = "scope"
)

// carrier is the member in which records travel inside an export.
const carrier = "x_ump"

// anyJSON reads JSON that was bounded on its first reading.
var anyJSON = canon.Options{Bytes: math.MaxInt64, Depth: 1_000, Inexact: true}

// residueOf returns the residue of a record; undefined: the record has none of this format
// and version.
func residueOf(r memory.Record) canon.Value {
	v, ok := codec.Residue(r, residueName)
	if !ok || v.Get(residueVersion).Float() != 1 {
		return canon.Value{}
	}
	return v
}

// put adds a member unless it is undefined.
func (o *object) put(name string, v canon.Value) {
	if v.Type() != canon.TypeUndefined {
		o.add(name, v)
	}
}

// isObject reports whether v is an object.
func isObject(v canon.Value) bool { return v.Type() == canon.TypeObject }

// without returns an object without some members.
func without(v canon.Value, names ...string) canon.Value {
	for _, name := range names {
		v = v.Without(name)
	}
	return v
}

// trimEntry leaves out of an entry what follows from the versions before and after it.
func trimEntry(v canon.Value, before, after string) canon.Value {
	v = v.Without("belief_id")
	if is(v.Get("old_value"), before) && is(v.Get("new_value"), after) {
		v = without(v, "old_value", "new_value")
	}
	return v
}

// restoreEntry is the inverse of trimEntry.
func restoreEntry(v canon.Value, id, before, after string) canon.Value {
	var o object
	o.put("id", v.Get("id"))
	o.add("belief_id", canon.String(id))
	if !v.Has("old_value") && !v.Has("new_value") {
		o.add("old_value", canon.String(before))
		o.add("new_value", canon.String(after))
	}
	for _, m := range v.Members() {
		if m.Name != "id" {
			o.add(m.Name, m.Value)
		}
	}
	return o.value()
}

func is(v canon.Value, text string) bool {
	return v.Type() == canon.TypeString && v.Text() == text
}
