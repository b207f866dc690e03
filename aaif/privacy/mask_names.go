package privacy

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// reserveTokens reserves the masked texts of a value, so that no other text becomes the
// same.
func reserveTokens(n redact.Numbering, v canon.Value) {
	if v.Type() == canon.TypeString && redact.HoldsToken(v.Text()) {
		n.Take(v.Text())
	}
	for _, inner := range v.Items() {
		reserveTokens(n, inner)
	}
	for _, m := range v.Members() {
		reserveTokens(n, m.Value)
	}
}

// memberNumbering keeps the names of an object's members unique, and knows those that are
// masked already.
func memberNumbering(v canon.Value) redact.Numbering {
	n := redact.NewNumbering()
	for _, m := range v.Members() {
		if redact.HoldsToken(m.Name) {
			n.Take(m.Name)
		}
	}
	return n
}

// longestName is the most bytes that the name of a member may have, see
// [aaif.ReadOptions].
const longestName = 1024

// name masks the name of a member. Names that would become the same get numbers.
func (m *masker) name(name string, at []string, apart redact.Numbering) string {
	before := m.found
	now := name
	if own, ok := strings.CutPrefix(name, "x-"); ok { // x- would join a number behind it
		now = "x-" + m.plain(own, at, memberContext{})
	}
	now = m.plain(now, at, memberContext{})
	if now == name {
		return name
	}
	m.inName = m.inName || !before && m.found
	if len(now) > max(len(name), longestName) {
		now = redact.Token("field")
	}
	return apart.Free(now)
}

// withUniqueKeys returns a state in which every item of memory has a key of its own,
// although masking made some the same.
func withUniqueKeys(state canon.Value) canon.Value {
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
