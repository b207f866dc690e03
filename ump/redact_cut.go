package ump

import "github.com/satchel-memory/satchel/canon"

// cutter removes the values that paths hit from a record in one walk. The zero cutter
// is ready for one record.
type cutter struct {
	place   []string // names of the members that lead to the present value, "" for an element
	rests   [][]step // scratch: the remaining steps of the paths, for each value on the way
	places  int      // how many values the paths hit
	secrets []secret // the removed texts and numbers
	outside bool     // the cutter removed a value outside body.structured
}

// maxPlaces is the most members and elements that the cutter removes from a record.
const maxPlaces = 10_000

// cut returns v, the value at c.place, without the values that the paths hit; the
// paths begin at v. It reports whether the rest of v is meaningless and must go too.
func (c *cutter) cut(v canon.Value, paths [][]step) (left canon.Value, meaningless bool) {
	switch v.Type() {
	case canon.TypeObject:
		return c.cutMembers(v, paths)
	case canon.TypeArray:
		return c.cutItems(v, paths), false
	}
	return v, false
}

func (c *cutter) cutMembers(v canon.Value, paths [][]step) (left canon.Value, meaningless bool) {
	kept := make([]canon.Member, 0, v.Len())
	for _, m := range v.Members() {
		value := c.child(m.Value, m.Name, paths, func(st step) bool { return st.hitsMember(m.Name) })
		if value.Type() != canon.TypeUndefined {
			kept = append(kept, canon.Member{Name: m.Name, Value: value})
		} else if c.requires(m.Name) {
			return v, true
		}
	}
	return canon.Object(kept...), false
}

func (c *cutter) cutItems(v canon.Value, paths [][]step) canon.Value {
	kept := make([]canon.Value, 0, v.Len())
	for i, item := range v.Items() {
		value := c.child(item, "", paths, func(st step) bool { return st.hitsItem(i) })
		if value.Type() != canon.TypeUndefined {
			kept = append(kept, value)
		}
	}
	return canon.Array(kept...)
}

// child returns what is left of v, a member called name or an element of the value at
// c.place. leads reports whether a step hits v. The result is undefined if nothing is
// left.
func (c *cutter) child(v canon.Value, name string, paths [][]step, leads func(step) bool) canon.Value {
	if c.places > maxPlaces {
		return v // the record is withheld
	}
	before := len(c.rests)
	hit := false
	for _, p := range paths {
		if leads(p[0]) {
			c.rests = append(c.rests, p[1:])
			hit = hit || len(p) == 1
		}
	}
	rest := c.rests[before:]
	if len(rest) == 0 {
		return v
	}
	c.place = append(c.place, name)
	left := canon.Value{}
	meaningless := false
	if !hit {
		left, meaningless = c.cut(v, rest)
	}
	if hit || meaningless {
		c.places++
		c.addSecret(v)
		left = c.replacement()
	}
	c.place = c.place[:len(c.place)-1]
	c.rests = c.rests[:before]
	return left
}

// addSecret notes that v, the value at c.place, is removed.
func (c *cutter) addSecret(v canon.Value) {
	c.outside = c.outside || len(c.place) < 2 || c.place[0] != "body" || c.place[1] != "structured"
	c.secrets = appendSecrets(c.secrets, v)
}

// replacement returns the value that replaces the removed value at c.place: a word for
// a required text, a body with that word for the body, otherwise undefined.
func (c *cutter) replacement() canon.Value {
	switch {
	case c.at("body"):
		return canon.Object(canon.Member{Name: "text", Value: canon.String(Redacted)})
	case c.at("body", "text"), c.at("provenance", "actor"), c.at("provenance", "method"):
		return canon.String(Redacted)
	}
	return canon.Value{}
}

// requires reports whether the object at c.place is meaningless without its member
// called name: a relation needs its type and target, evidence its ref, provenance its
// actor_kind.
func (c *cutter) requires(name string) bool {
	switch name {
	case "type", "target":
		return c.at("relations", "")
	case "ref":
		return c.at("provenance", "evidence", "")
	case "actor_kind":
		return c.at("provenance")
	}
	return false
}

// at reports whether c.place is the place with these names.
func (c *cutter) at(names ...string) bool {
	if len(c.place) != len(names) {
		return false
	}
	for i, name := range names {
		if c.place[i] != name {
			return false
		}
	}
	return true
}
