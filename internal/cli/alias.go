package cli

import (
	"strings"
)

// MeantBy returns which of some names is meant, where only case, hyphens, dots, spaces
// and underscores are others than in the name: hosts and formats of the same program are
// spelled differently. A name that is none of them stays as it is.
func MeantBy(name string, names []string) string {
	for _, known := range names {
		if bare(known) == bare(name) {
			return known
		}
	}
	return name
}

// bare is a name without what may be spelled otherwise.
func bare(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(name))
}
