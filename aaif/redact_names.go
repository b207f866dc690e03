package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// taken takes the texts in a value that were masked before, which another may become.
func taken(n redact.Numbering, v canon.Value) {
	if v.Type() == canon.TypeString && redact.HoldsToken(v.Text()) {
		n.Take(v.Text())
	}
	for _, inner := range v.Items() {
		taken(n, inner)
	}
	for _, m := range v.Members() {
		taken(n, m.Value)
	}
}

// membersOf keeps the names of the members of an object apart, from those too that were masked before.
func membersOf(v canon.Value) redact.Numbering {
	n := redact.NewNumbering()
	for _, m := range v.Members() {
		if redact.HoldsToken(m.Name) {
			n.Take(m.Name)
		}
	}
	return n
}

// name masks the name of a member; those that become one are kept apart.
func (m *masking) name(name string, at []string, apart redact.Numbering) string {
	before := m.found
	now := name
	if own, ok := strings.CutPrefix(name, "x-"); ok { // which would join a number behind it
		now = "x-" + m.masked(own, at, trail{})
	}
	now = m.masked(now, at, trail{})
	if now == name {
		return name
	}
	m.inName = m.inName || !before && m.found
	if len(now) > max(len(name), ReadOptions{}.filled().Name) {
		now = redact.Token("field")
	}
	return apart.Free(now)
}

// keyed returns a state whose items of memory have keys of their own, also where they
// have become the same.
func keyed(state canon.Value) canon.Value {
	const list = "memory_snapshot"
	items, changed, apart := make([]canon.Value, 0, state.Get(list).Len()), false, map[string]redact.Numbering{}
	for _, it := range state.Get(list).Items() {
		if key, scope := it.Get("key").Text(), it.Get("scope").Text(); redact.HoldsToken(key) {
			if _, ok := apart[scope]; !ok {
				apart[scope] = redact.NewNumbering()
			}
			if free := apart[scope].Free(key); free != key {
				it, changed = it.With("key", canon.String(free)), true
			}
		}
		items = append(items, it)
	}
	if !changed {
		return state
	}
	return state.With(list, canon.Array(items...))
}
