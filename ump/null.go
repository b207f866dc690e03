package ump

import "github.com/satchel-memory/satchel/canon"

// Clients with strict schemas cannot leave a member out: they send null instead. In a
// request, null at a known optional member therefore means that it is missing. In a
// stored or signed record null is a value, which the hash covers (UMP-6.1-5).

// withoutNulls returns a draft without its nulls. It keeps those of unknown members,
// those in body.structured, and that of valid_to, which may be null in a record.
func withoutNulls(v canon.Value) canon.Value {
	for _, name := range recordShape {
		if name != "body" { // required: null is a mistake there
			v = dropNull(v, name)
		}
	}
	if body := v.Get("body"); body.Get("structured").Type() == canon.TypeNull {
		v = v.With("body", body.Without("structured"))
	}
	v = changeObject(v, "scope", dropNulls(scopeShape))
	v = changeObject(v, "time", dropNulls(shape{"created", "observed", "valid_from"}))
	v = changeObject(v, "lifecycle", dropNulls(lifecycleShape))
	v = changeObject(v, "provenance", provenanceWithoutNulls)
	return changeObject(v, "consent", dropNulls(consentShape))
}

func provenanceWithoutNulls(p canon.Value) canon.Value {
	p = dropNulls(provenanceShape)(p)
	p = changeObject(p, "source", dropNulls(sourceShape))
	for i, item := range p.Get("evidence").Items() {
		if short := dropNull(item, "weight"); short.Len() < item.Len() {
			p = p.With("evidence", p.Get("evidence").WithItem(i, short))
		}
	}
	return p
}

// changeObject changes the object called name. It removes an object that loses all its
// members.
func changeObject(v canon.Value, name string, change func(canon.Value) canon.Value) canon.Value {
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

// dropNulls returns a function that drops the nulls of an object. All members of the
// object are optional.
func dropNulls(s shape) func(canon.Value) canon.Value {
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
