package operate

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
)

// unfinishedOthers looks for interrupted changes of other owners' keys.
func (d *doctor) unfinishedOthers() {
	found, err := filepath.Glob(filepath.Join(escapeGlob(d.home.Keys()), "next-*.key"))
	if err != nil {
		return // the pattern is ours
	}
	for _, path := range found {
		d.bad("rekey", path+" is of a change of an owner's key that is not finished",
			"satchel owner list shows who is going over; satchel --owner DID owner rekey finishes it", nil)
	}
}

// unfinished looks for an interrupted change of keys.
func (d *doctor) unfinished() {
	j, ok, err := d.home.ReadJournal()
	switch {
	case err != nil:
		d.bad("rekey", cli.Describe(err), "satchel owner list", nil)
	case ok:
		d.bad("rekey", fmt.Sprintf("the owner's change from %s to %s is not finished", j.From, j.To), "satchel owner rekey finishes it", nil)
	}
}

// remains looks for files that killed programs left.
func (d *doctor) remains() {
	found := remains(d.home, d.app.Now())
	for _, path := range found {
		d.bad("left-overs", path+" was left by a program that was killed, and may hold content or keys",
			"satchel doctor --mend removes it", func() error { return os.RemoveAll(path) })
	}
	if len(found) == 0 {
		d.good("left-overs", "none")
	}
}

// wentBack reports a database that went back, until the owner accepts it.
func (d *doctor) wentBack(o *cli.Session) {
	s, _ := o.ReadSeen()
	if s.Back == nil {
		return
	}
	d.bad("database", fmt.Sprintf("it went back: at %s it was not as it was left when it was last used here (%d changes and %d entries of the audit log before, then %d and %d). "+
		"What was forgotten, revised or revoked in between may be as it was before", s.Back.At.UTC().Format(time.RFC3339), s.Changes, s.Entries, s.Back.Changes, s.Back.Entries),
		"if you put an older copy in place, forget and revoke again what must not be there, and satchel doctor --mend accepts it; if you did not, bring back the newest copy",
		func() error { return os.Remove(o.SeenFile()) }) // the next use writes a new one
}

// edition looks for an interrupted change of edition.
func (d *doctor) edition(o *cli.Session) {
	s, err := o.Editions().EditionStatus(d.app.Ctx, o.Caller())
	switch {
	case err != nil:
		d.bad("edition", cli.Describe(err), d.restoreAdvice(), nil)
	case s.GoingOver:
		d.bad("edition", editionBegun(s), editionGoesOn, nil)
	}
}

// storeKeyMissing reports a missing key of the store.
func (d *doctor) storeKeyMissing(path string) {
	d.bad(cli.StoreKey+" key", path+" is missing: what other owners keep is not sealed",
		"copy it from a backup of the folder; satchel doctor --mend makes it where nothing was sealed by another",
		func() error { return d.app.With(cli.Signing, func(*cli.Session) error { return nil }) })
}

// expiry looks for content that should be gone.
func (d *doctor) expiry(o *cli.Session) {
	n, err := o.Expired(d.app.Ctx, o.Owner)
	owed := false
	if err == nil {
		owed, err = o.Store.Owed(d.app.Ctx)
	}
	held := vault.Hold{}
	if err == nil {
		held, err = o.Held(d.app.Ctx, o.Owner)
	}
	sweep := func() error {
		return d.app.With(cli.Signing, func(o *cli.Session) error { _, err := o.SweepAgreed(d.app.Ctx, o.Owner); return err })
	}
	if behind := held.Newest.Sub(d.app.Now()); behind > mostBehind {
		d.bad("clock", fmt.Sprintf("this machine's clock is %s behind what was written last, on %s: one of them is wrong", cli.Days(behind), cli.Local(held.Newest)),
			"set the clock right; what was written meanwhile keeps the time that it was given", nil)
	}
	switch {
	case err != nil:
		d.bad("retention", cli.Describe(err), d.restoreAdvice(), nil)
	case n > held.Count && o.ReadOnly:
		d.bad("retention", cli.Plural(n-held.Count, "memory has", "memories have")+" expired, with content still on the disk",
			"the store can only be read here: any command where it can be written empties them", nil)
	case n > held.Count:
		d.bad("retention", cli.Plural(n-held.Count, "memory has", "memories have")+" expired, with content still on the disk",
			"satchel doctor --mend empties them", sweep)
	case held.Count > 0 && d.clock:
		d.bad("retention", cli.HeldBack(held, d.app.Now()), "satchel doctor --clock erases it", func() error {
			return d.app.With(cli.Signing, func(o *cli.Session) error { _, err := o.Sweep(d.app.Ctx, o.Owner); return err })
		})
	case held.Count > 0:
		d.bad("retention", cli.HeldBack(held, d.app.Now())+". It is hidden, and stays on the disk for a day",
			"set the clock right if it is wrong; if it is right, satchel doctor --clock erases it now", nil)
	case owed && o.InDatabase(): // normal after every forget
		d.good("retention", "what was erased since the last satchel store scrub may still be in pages and logs of the database")
	case owed:
		d.bad("retention", "what was erased may still be in the files: something kept them busy", "satchel doctor --mend clears it away", sweep)
	default:
		d.good("retention", "nothing has expired and waits")
	}
}
