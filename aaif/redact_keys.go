package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// keyed returns a state whose items of memory have keys of their own, also where they
// have become the same.
func keyed(state canon.Value) canon.Value {
	const list = "memory_snapshot"
	taken := map[string]bool{}
	for i, it := range state.Get(list).Items() {
		key := it.Get("key").Text()
		id := func() string { return it.Get("scope").Text() + "\x00" + key }
		for taken[id()] && strings.Contains(key, "-REDACTED]") {
			key += "+"
		}
		taken[id()] = true
		if key != it.Get("key").Text() {
			state = state.With(list, state.Get(list).WithItem(i, it.With("key", canon.String(key))))
		}
	}
	return state
}
