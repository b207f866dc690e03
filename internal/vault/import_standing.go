package vault

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// ImportStanding says how far an import has come, as its owner sees it.
type ImportStanding string

// The standings of an import.
const (
	ImportWorking   ImportStanding = "at work"
	ImportInPart    ImportStanding = "in part" // of an archive, which goes on with the next import
	ImportWhole     ImportStanding = "imported"
	ImportGoingBack ImportStanding = "being taken back"
	ImportUndone    ImportStanding = "undone"
	ImportNothing   ImportStanding = "cut off" // and nothing of it was kept
)

// StandingOf says how far an import has come. An import that was cut off a moment ago
// counts as working.
func StandingOf(i store.Import, now time.Time) ImportStanding {
	switch {
	case i.State == store.Published:
		return ImportWhole
	case i.State == store.TakenBack:
		return ImportUndone
	case i.State == store.Partial && i.Lease.IsZero():
		return ImportGoingBack
	case (i.State == store.Staging || i.State == store.Partial) && i.Lease.After(now):
		return ImportWorking
	case i.State == store.Partial:
		return ImportInPart
	}
	return ImportNothing
}
