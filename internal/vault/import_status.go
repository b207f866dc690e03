package vault

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// ImportStatus says how far an import has come, as its owner sees it.
type ImportStatus string

// The statuses of an import.
const (
	ImportWorking   ImportStatus = "at work"
	ImportInPart    ImportStatus = "in part" // of an archive, which goes on with the next import
	ImportWhole     ImportStatus = "imported"
	ImportGoingBack ImportStatus = "being taken back"
	ImportUndone    ImportStatus = "undone"
	ImportNothing   ImportStatus = "cut off" // and nothing of it was kept
)

// ImportStatusOf says how far an import has come. An import that was cut off a moment ago
// counts as working.
func ImportStatusOf(i store.Import, now time.Time) ImportStatus {
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
