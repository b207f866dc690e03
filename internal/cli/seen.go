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

// Seen is what the home folder knows of the database beside it: how far it had come when
// a program closed it last. A database that has come less far is an older copy that
// somebody put in place of it. A backup does not hold the file, and a folder that is
// copied or moved holds both, so that neither is taken for that.
type Seen struct {
	Database string     `json:"database,omitempty"` // without a password; empty: satchel.db
	Owner    memory.DID `json:"owner"`
	Changes  int64      `json:"changes"` // of the change feed
	Entries  int64      `json:"entries"` // of the audit log
	// At is when the last of the changes was made. By it another course of changes is told
	// that has come as far, or further.
	At time.Time `json:"at,omitzero"`
	// Back stands from when the database went back until the owner accepts that.
	Back *WentBack `json:"went_back,omitempty"`
}

// WentBack is how far a database had come when it was found to have gone back.
type WentBack struct {
	At      time.Time `json:"at"`
	Changes int64     `json:"changes"`
	Entries int64     `json:"entries"`
}

// SeenFile is the path of the file that says how far the database had come.
func (h Home) SeenFile() string { return filepath.Join(h.Dir, "seen.json") }

// ReadSeen returns what the file says of this database and owner; nothing where there is
// none, or where it cannot be read: it only serves to notice something.
func (o *Opened) ReadSeen() (s Seen, known bool) {
	data, err := ReadBounded(o.SeenFile(), MaxSmall)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Database != o.databaseSeen() || s.Owner != o.Config.Owner {
		return Seen{Database: o.databaseSeen(), Owner: o.Config.Owner}, false
	}
	return s, true
}

func (o *Opened) databaseSeen() string {
	if o.InDatabase() {
		return o.Name()
	}
	return ""
}

// reached returns how far the database has come, and whether it went back since it was
// seen before: it has come less far, or what was the last change then is another one.
func (o *Opened) reached(ctx context.Context, before Seen) (s Seen, back bool, err error) {
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

// changedAt returns when the change of a sequence number was made; zero where there is none.
func changedAt(r store.Reader, sequence int64) (time.Time, error) {
	changes, err := r.Changes(sequence-1, 1)
	if err != nil || len(changes) == 0 || changes[0].Sequence != sequence {
		return time.Time{}, err
	}
	return changes[0].At, nil
}

// notice looks whether the database went back since it was used last, and says so. It
// refuses nothing.
func (o *Opened) notice(a *App) {
	before, known := o.ReadSeen()
	if !known {
		return
	}
	now, back, err := o.reached(a.Ctx, before)
	if err != nil {
		return // whoever reads is told
	}
	if before.Back == nil && back {
		before.Back = &WentBack{At: a.Now(), Changes: now.Changes, Entries: now.Entries}
		o.writeSeen(before)
	}
	if before.Back != nil {
		a.Warn("the database went back to an earlier state: what was forgotten since may be here again. satchel doctor says more")
	}
}

// writeSeen files what was seen. Where that cannot be written nothing is noticed later.
func (o *Opened) writeSeen(s Seen) {
	data, err := json.Marshal(s)
	if err == nil {
		_ = atomicfile.Write(o.SeenFile(), 0o600, append(data, '\n'))
	}
}

// remark files how far the database has come, or that it went back while it was open.
func (o *Opened) remark() {
	before, known := o.ReadSeen()
	if before.Back != nil {
		return
	}
	now, back, err := o.reached(context.Background(), before)
	switch {
	case err != nil:
	case back:
		before.Back = &WentBack{At: time.Now(), Changes: now.Changes, Entries: now.Entries}
		o.writeSeen(before)
	case !known || now.Changes > before.Changes || now.Entries > before.Entries:
		o.writeSeen(now)
	}
}
