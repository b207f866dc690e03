package aaif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// steps splits a JSON Pointer.
func steps(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(pointer[1:], "/")
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}

// under appends a step to a pointer.
func under(pointer, name string) string { return pointer + canon.Pointer(name) }

// item appends the index of an item to a pointer.
func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// walk visits a value and everything in it in document order, with the path of each. The
// path is valid until visit returns.
func walk(v canon.Value, at []string, visit func(at []string, v canon.Value)) {
	visit(at, v)
	for i, inner := range v.Items() {
		walk(inner, append(at, strconv.Itoa(i)), visit)
	}
	for _, m := range v.Members() {
		walk(m.Value, append(at, m.Name), visit)
	}
}

// has reports whether a value, or a value in it, satisfies a condition.
func has(v canon.Value, such func(canon.Value) bool) bool {
	return such(v) || slices.ContainsFunc(v.Items(), func(inner canon.Value) bool { return has(inner, such) }) ||
		slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return has(m.Value, such) })
}
