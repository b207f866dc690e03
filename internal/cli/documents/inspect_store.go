package documents

import (
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
)

// storeFormat is the format that a store's summary states.
const storeFormat = "store"

// storeNamed reports whether an argument names a store instead of a file, and which
// store: "" is the program's own.
func storeNamed(path string) (where string, ok bool) {
	if where, ok = strings.CutPrefix(path, storeScheme); ok || !cli.IsDatabase(path) {
		return where, ok
	}
	return path, true
}

// store counts an owner's memories in a store, in the form of a complete export.
func (c *InspectCmd) store(a *cli.App, where string) error {
	if c.From != "" {
		return cli.Usagef("%s is a store and in no format; leave --format out", cli.Clean(cli.WithoutPassword(c.File)))
	}
	other := *a
	if where != "" {
		other.Store = where
	}
	return other.With(cli.Reading, func(o *cli.Session) error {
		s := newSummary(cli.WithoutPassword(c.File), storeFormat, "a store of memories")
		report, err := ordered(o, &other, vault.ExportQuery{Verbatim: true}, s.add)
		if err != nil {
			return err
		}
		for _, reason := range slices.Sorted(maps.Keys(report.Omitted)) {
			a.Say("%d are not counted: %s", report.Omitted[reason], reason)
		}
		return s.tell(a)
	})
}
