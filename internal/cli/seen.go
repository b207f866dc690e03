package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Seen records the database's progress when a program last closed it. A database with less
// progress is an older copy that somebody restored in its place. A backup leaves the file
// out, and a copied or moved folder holds both, so neither counts as a restored copy.
type Seen struct {
	Database string     `json:"database,omitempty"` // without a password; empty: satchel.db
	Owner    memory.DID `json:"owner"`
	Changes  int64      `json:"changes"` // of the change feed
	Entries  int64      `json:"entries"` // of the audit log
	// At is the time of the last change. It reveals a different series of changes of the
	// same length or more.
	At time.Time `json:"at,omitzero"`
	// Back is set after the database went back, until the owner accepts that.
	Back *WentBack `json:"went_back,omitempty"`
}

// WentBack is the progress of a database when a program found that it went back.
type WentBack struct {
	At      time.Time `json:"at"`
	Changes int64     `json:"changes"`
	Entries int64     `json:"entries"`
}

// SeenFile is the path of the file with the database's progress.
func (h Home) SeenFile() string { return filepath.Join(h.Dir, "seen.json") }

// ReadSeen returns the file's record for this database and owner. It returns nothing if
// there is none or it is unreadable, because it only serves a warning.
func (o *Session) ReadSeen() (s Seen, known bool) {
	data, err := ReadBounded(o.SeenFile(), MaxSmall)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Database != o.databaseSeen() || s.Owner != o.Config.Owner {
		return Seen{Database: o.databaseSeen(), Owner: o.Config.Owner}, false
	}
	return s, true
}

func (o *Session) databaseSeen() string {
	if o.InDatabase() {
		return o.Name()
	}
	return ""
}

// progressSince returns the database's progress, and whether it went back since before: it
// has less progress, or its change of that number is a different one.
func (o *Session) progressSince(ctx context.Context, before Seen) (s Seen, back bool, err error) {
	s = Seen{Database: o.databaseSeen(), Owner: o.Config.Owner}
	err = o.Store.View(ctx, s.Owner, func(r store.Reader) (err error) {
		if s.Changes, err = r.Head(); err != nil {
			return err
		}
		if s.Entries, _, err = r.Audit().AuditSize(); err != nil {
			return err
		}
		if s.At, err = changedAt(r, s.Changes); err != nil {
			return err
		}
		at, err := changedAt(r, before.Changes)
		other := !before.At.IsZero() && !at.IsZero() && !at.Equal(before.At)
		back = s.Changes < before.Changes || s.Entries < before.Entries || other
		return err
	})
	return s, back, err
}

// changedAt returns the time of the change with a sequence number; zero if there is none.
func changedAt(r store.Reader, sequence int64) (time.Time, error) {
	changes, err := r.Changes(sequence-1, 1)
	if err != nil || len(changes) == 0 || changes[0].Sequence != sequence {
		return time.Time{}, err
	}
	return changes[0].At, nil
}

// warnIfBack warns if the database went back since its last use. It refuses nothing.
func (o *Session) warnIfBack(a *App) {
	before, known := o.ReadSeen()
	if !known {
		return
	}
	now, back, err := o.progressSince(a.Ctx, before)
	if err != nil {
		return // a reading command warns
	}
	if before.Back == nil && back {
		before.Back = &WentBack{At: a.Now(), Changes: now.Changes, Entries: now.Entries}
		o.writeSeen(before)
	}
	if before.Back != nil {
		a.Warn("the database went back to an earlier state: what was forgotten since may be here again. satchel doctor says more")
	}
}

// writeSeen records the progress. If it cannot, later programs notice nothing.
func (o *Session) writeSeen(s Seen) {
	data, err := json.Marshal(s)
	if err == nil {
		_ = atomicfile.Write(o.SeenFile(), 0o600, append(data, '\n'))
	}
}

// recordProgress records the database's progress, or that it went back while it was open.
func (o *Session) recordProgress() {
	before, known := o.ReadSeen()
	if before.Back != nil {
		return
	}
	now, back, err := o.progressSince(context.Background(), before)
	switch {
	case err != nil:
	case back:
		before.Back = &WentBack{At: time.Now(), Changes: now.Changes, Entries: now.Entries}
		o.writeSeen(before)
	case !known || now.Changes > before.Changes || now.Entries > before.Entries:
		o.writeSeen(now)
	}
}
