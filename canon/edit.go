package canon

import "slices"

// With returns v with the member called name set to val: in its place, or last
// if it is new. An undefined val removes the member. A v that is not an object
// counts as an empty one.
func (v Value) With(name string, val Value) Value {
	if val.typ == TypeUndefined {
		return v.Without(name)
	}
	name = valid(name)
	old := v.Members()
	members := make([]Member, len(old), len(old)+1)
	copy(members, old)
	if i := v.indexOf(name); i >= 0 {
		members[i].Value = val
	} else {
		members = append(members, Member{Name: name, Value: val})
	}
	return objectOf(members)
}

// Without returns v without the member called name.
func (v Value) Without(name string) Value {
	i := v.indexOf(name)
	if i < 0 {
		return v
	}
	return objectOf(slices.Concat(v.kids.members[:i], v.kids.members[i+1:]))
}

// WithItem returns v with item i set to val, or val appended when i is v.Len().
// A v that is not an array counts as an empty one. It panics, as indexing a
// slice does, when i is out of range.
func (v Value) WithItem(i int, val Value) Value {
	old := v.Items()
	items := make([]Value, len(old), len(old)+1)
	copy(items, old)
	if val.typ == TypeUndefined {
		val = Null()
	}
	if i == len(items) {
		items = append(items, val)
	}
	items[i] = val
	return arrayOf(items)
}

// WithoutItem returns v without item i. It panics, as indexing a slice does,
// when i is out of range.
func (v Value) WithoutItem(i int) Value {
	items := v.Items()
	return arrayOf(slices.Concat(items[:i], items[i+1:]))
}
