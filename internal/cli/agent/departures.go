package agent

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

// departures says where checkpoints went that left from files, by state_id. Those in the
// store have it beside them.
type departures map[string]aaif.Departure

// readDepartures reads the departures that were remembered.
func readDepartures(h cli.Home) (departures, error) {
	return readKnown[departures](departuresFile(h))
}

// errLeaving refuses to note a departure, because another program noted one meanwhile.
var errLeaving = errors.New("another program is sending it")

// rememberDeparture stores where a checkpoint went, if it was last noted as before; the zero
// Departure forgets it. If there are too many, the oldest are dropped.
func rememberDeparture(h cli.Home, checkpoint string, before, d aaif.Departure) error {
	return changeKnown(departuresFile(h), func(known departures) (bool, error) {
		switch now := known[checkpoint]; {
		case !isSameDeparture(now, before):
			return false, errLeaving
		case isSameDeparture(now, d):
			return false, nil
		}
		if known[checkpoint] = d; d.At.IsZero() {
			delete(known, checkpoint)
		}
		oldest := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return cmp.Or(known[a].At.Compare(known[b].At), cmp.Compare(a, b)) })
		for ; len(oldest) > 1 && !agentdoc.IsSmall(known); oldest = oldest[1:] {
			delete(known, oldest[0])
		}
		return true, nil
	})
}

func isSameDeparture(a, b aaif.Departure) bool {
	return a.For == b.For && a.To == b.To && a.At.Equal(b.At)
}

func departuresFile(h cli.Home) string { return filepath.Join(h.Dir, "aaif-departures.json") }
