package aimemconform

import "slices"

// Tries reports whether a run has something to say of a row, or of any row of a
// section, that is named as in [Target].Only.
func Tries(only string) bool {
	r := run{Target: Target{Only: []string{only}}}
	return slices.ContainsFunc(checks(), func(c check) bool { return r.wants(c.id) }) ||
		slices.ContainsFunc(absent(), func(a absence) bool { return r.wants(a.id) })
}
