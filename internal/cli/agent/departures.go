package agent

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

// departures says where checkpoints went that left from files, by state_id. Those in the
// store have it beside them.
type departures map[string]aaif.Departure

// readDepartures reads the departures that were remembered.
func readDepartures(h cli.Home) (departures, error) {
	return readKnown[departures](departuresFile(h))
}

// rememberDeparture stores where a checkpoint went; the zero Departure forgets it. If there
// are too many, the oldest are dropped.
func rememberDeparture(h cli.Home, checkpoint string, d aaif.Departure) error {
	known, err := readDepartures(h)
	if err != nil || known[checkpoint] == d {
		return err
	}
	if known[checkpoint] = d; d.At.IsZero() {
		delete(known, checkpoint)
	}
	oldest := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return cmp.Or(known[a].At.Compare(known[b].At), cmp.Compare(a, b)) })
	for ; len(oldest) > 1 && !isSmall(known); oldest = oldest[1:] {
		delete(known, oldest[0])
	}
	return cli.WriteJSON(departuresFile(h), known)
}

func departuresFile(h cli.Home) string { return filepath.Join(h.Dir, "aaif-departures.json") }
