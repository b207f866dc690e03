package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// seen is what the home folder knows of the database beside it: how far it had come when
// a program closed it last. A database that has come less far is an older copy that
// somebody put in place of it. A backup does not hold the file, and a folder that is
// copied or moved holds both, so that neither is taken for that.
type seen struct {
	Database string     `json:"database,omitempty"` // without a password; empty: satchel.db
	Owner    memory.DID `json:"owner"`
	Changes  int64      `json:"changes"` // of the change feed
	Entries  int64      `json:"entries"` // of the audit log
	// At is when the last of the changes was made. By it another course of changes is told
	// that has come as far, or further.
	At time.Time `json:"at,omitzero"`
	// Back stands from when the database went back until the owner accepts that.
	Back *wentBack `json:"went_back,omitempty"`
}

// wentBack is how far a database had come when it was found to have gone back.
type wentBack struct {
	At      time.Time `json:"at"`
	Changes int64     `json:"changes"`
	Entries int64     `json:"entries"`
}

func (h home) seenFile() string { return filepath.Join(h.dir, "seen.json") }

// readSeen returns what the file says of this database and owner; nothing where there is
// none, or where it cannot be read: it only serves to notice something.
func (o *opened) readSeen() (s seen, known bool) {
	data, err := readBounded(o.seenFile(), maxSmall)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Database != o.databaseSeen() || s.Owner != o.config.Owner {
		return seen{Database: o.databaseSeen(), Owner: o.config.Owner}, false
	}
	return s, true
}

func (o *opened) databaseSeen() string {
	if o.remote() {
		return o.name()
	}
	return ""
}

// reached returns how far the database has come, and whether it went back since it was
// seen before: it has come less far, or what was the last change then is another one.
func (o *opened) reached(ctx context.Context, before seen) (s seen, back bool, err error) {
	s = seen{Database: o.databaseSeen(), Owner: o.config.Owner}
	err = o.store.View(ctx, s.Owner, func(r store.Reader) (err error) {
		if s.Changes, err = r.Head(); err != nil {
			return err
		}
		if s.Entries, _, err = r.AuditSize(); err != nil {
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
func (o *opened) notice(a *app) {
	before, known := o.readSeen()
	if !known {
		return
	}
	now, back, err := o.reached(a.ctx, before)
	if err != nil {
		return // whoever reads is told
	}
	if before.Back == nil && back {
		before.Back = &wentBack{At: a.now(), Changes: now.Changes, Entries: now.Entries}
		o.writeSeen(before)
	}
	if before.Back != nil {
		a.warn("the database went back to an earlier state: what was forgotten since may be here again. satchel doctor says more")
	}
}

// writeSeen files what was seen. Where that cannot be written nothing is noticed later.
func (o *opened) writeSeen(s seen) {
	data, err := json.Marshal(s)
	if err == nil {
		_ = atomicfile.Write(o.seenFile(), 0o600, append(data, '\n'))
	}
}

// remark files how far the database has come, or that it went back while it was open.
func (o *opened) remark() {
	before, known := o.readSeen()
	if before.Back != nil {
		return
	}
	now, back, err := o.reached(context.Background(), before)
	switch {
	case err != nil:
	case back:
		before.Back = &wentBack{At: time.Now(), Changes: now.Changes, Entries: now.Entries}
		o.writeSeen(before)
	case !known || now.Changes > before.Changes || now.Entries > before.Entries:
		o.writeSeen(now)
	}
}

// wentBack tells of a database that went back, until the owner accepts it.
func (d *doctor) wentBack(o *opened) {
	s, _ := o.readSeen()
	if s.Back == nil {
		return
	}
	d.bad("database", fmt.Sprintf("it went back: at %s it was not as it was left when it was last used here (%d changes and %d entries of the audit log before, then %d and %d). "+
		"What was forgotten, revised or revoked in between may be as it was before", s.Back.At.UTC().Format(time.RFC3339), s.Changes, s.Entries, s.Back.Changes, s.Back.Entries),
		"if you put an older copy in place, forget and revoke again what must not be there, and satchel doctor --mend accepts it; if you did not, bring back the newest copy",
		func() error { return os.Remove(o.seenFile()) }) // it is begun anew
}
