package ump

import "github.com/satchel-memory/satchel/canon"

// Clients with strict schemas cannot leave a member out and send null for all
// they have nothing to say of. In what they ask for, null at a known optional
// member therefore means that it is not given. In a record that is stored or
// signed null is a value of its own, and inside the hash (UMP-6.1-5).

// withoutNulls returns a draft without its nulls; unknown members and what is
// inside body.structured keep theirs. valid_to may be null in a record and stays.
func withoutNulls(v canon.Value) canon.Value {
	for _, name := range recordShape {
		if name != "body" { // required: null is a mistake there
			v = dropNull(v, name)
		}
	}
	if body := v.Get("body"); body.Get("structured").Type() == canon.TypeNull {
		v = v.With("body", body.Without("structured"))
	}
	v = within(v, "scope", droppingAll(scopeShape))
	v = within(v, "time", droppingAll(shape{"created", "observed", "valid_from"}))
	v = within(v, "lifecycle", droppingAll(lifecycleShape))
	v = within(v, "provenance", provenanceWithoutNulls)
	return within(v, "consent", droppingAll(consentShape))
}

func provenanceWithoutNulls(p canon.Value) canon.Value {
	p = droppingAll(provenanceShape)(p)
	p = within(p, "source", droppingAll(sourceShape))
	for i, item := range p.Get("evidence").Items() {
		if short := dropNull(item, "weight"); short.Len() < item.Len() {
			p = p.With("evidence", p.Get("evidence").WithItem(i, short))
		}
	}
	return p
}

// within changes the object called name. One that loses all it had was never
// given.
func within(v canon.Value, name string, change func(canon.Value) canon.Value) canon.Value {
	before := v.Get(name)
	if before.Type() != canon.TypeObject {
		return v
	}
	switch after := change(before); {
	case after.Len() == 0 && before.Len() > 0:
		return v.Without(name)
	case canon.Identical(before, after):
		return v
	default:
		return v.With(name, after)
	}
}

// droppingAll drops the nulls of an object all of whose members are optional.
func droppingAll(s shape) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value {
		for _, name := range s {
			v = dropNull(v, name)
		}
		return v
	}
}

func dropNull(v canon.Value, name string) canon.Value {
	if v.Get(name).Type() == canon.TypeNull {
		return v.Without(name)
	}
	return v
}
