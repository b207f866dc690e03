package aaif

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory/redact"
)

// numbering keeps names apart that have become the same: the second ends in -2. What it
// costs grows with how many names there are, and no faster.
type numbering struct {
	taken map[string]bool
	next  map[string]int // the number to try for a name
}

func newNumbering() numbering { return numbering{map[string]bool{}, map[string]int{}} }

// free returns a name that is not taken, and takes it.
func (n numbering) free(name string) string {
	free := name
	for i := max(2, n.next[name]); n.taken[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
		n.next[name] = i + 1
	}
	n.taken[free] = true
	return free
}

// take takes the texts in a value that were masked before.
func (n numbering) take(v canon.Value) {
	if v.Type() == canon.TypeString && wasMasked(v.Text()) {
		n.taken[v.Text()] = true
	}
	for _, inner := range v.Items() {
		n.take(inner)
	}
	for _, m := range v.Members() {
		n.take(m.Value)
	}
}

// wasMasked reports whether a name holds a token, and so may be what another becomes.
func wasMasked(name string) bool { return strings.Contains(name, "-REDACTED]") }

// membersOf keeps the names of the members of an object apart, from those too that were masked before.
func membersOf(v canon.Value) numbering {
	n := newNumbering()
	for _, m := range v.Members() {
		if wasMasked(m.Name) {
			n.taken[m.Name] = true
		}
	}
	return n
}

// name masks the name of a member; those that become one are kept apart.
func (m *masking) name(name string, at []string, apart numbering) string {
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
	return apart.free(now)
}

// keyed returns a state whose items of memory have keys of their own, also where they
// have become the same.
func keyed(state canon.Value) canon.Value {
	const list = "memory_snapshot"
	items, changed, apart := make([]canon.Value, 0, state.Get(list).Len()), false, map[string]numbering{}
	for _, it := range state.Get(list).Items() {
		if key, scope := it.Get("key").Text(), it.Get("scope").Text(); wasMasked(key) {
			if _, ok := apart[scope]; !ok {
				apart[scope] = newNumbering()
			}
			if free := apart[scope].free(key); free != key {
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
