package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/vault"
)

// storeFormat stands where a summary of a document has its format.
const storeFormat = "store"

// storeNamed reports whether a store is named where a file could be, and which: "" is the
// one that the program is at.
func storeNamed(path string) (where string, ok bool) {
	if where, ok = strings.CutPrefix(path, storeScheme); ok || !isDatabase(path) {
		return where, ok
	}
	return path, true
}

// store counts what an owner keeps in a store, as an export of everything would have it.
func (c *inspectCmd) store(a *app, where string) error {
	if c.From != "" {
		return usagef("%s is a store and in no format; leave --format out", clean(withoutPassword(c.File)))
	}
	other := *a
	if where != "" {
		other.store = where
	}
	return other.with(reading, func(o *opened) error {
		s := newSummary(withoutPassword(c.File), storeFormat, "a store of memories")
		report, err := o.ordered(&other, vault.ExportQuery{Verbatim: true}, s.add)
		if err != nil {
			return err
		}
		for _, reason := range slices.Sorted(maps.Keys(report.Omitted)) {
			a.say("%d are not counted: %s", report.Omitted[reason], reason)
		}
		return s.tell(a)
	})
}
