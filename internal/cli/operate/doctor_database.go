package operate

import (
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/memory"
)

// restoreAdvice says how to undo damage.
func (d *doctor) restoreAdvice() string {
	if d.home.InDatabase() {
		return "bring the database back from its backup, see docs/operate.md"
	}
	return "bring the store back from a backup with satchel restore"
}

// unopened reports a store that does not open.
func (d *doctor) unopened(err error) {
	mend := d.restoreAdvice()
	if d.home.InDatabase() {
		mend = "see that the database runs and lets this user in; satchel init makes a store of it, satchel store migrate brings one up to date"
		if errors.Is(err, store.ErrNewer) {
			mend = "update satchel on this machine: the store was brought up to date by a later release"
		}
	}
	switch {
	case errors.Is(err, store.ErrFull):
		mend = "make room on the disk"
	case errors.Is(err, store.ErrReadOnly) && !d.home.InDatabase():
		mend = "make " + d.home.Dir + " and its files readable and writable for you, or open the store where they are"
	}
	d.bad("store", cli.Describe(err), mend, nil)
}

// health looks for damage: in the whole store, or, in a database, which may be large, in
// the rows of the home folder's owner.
func (d *doctor) health(o *cli.Session) (found []string, err error) {
	p := d.app.Progress("looked at")
	defer p.End()
	if d.all {
		return o.Health().HealthTelling(d.app.Ctx, p.Reached)
	}
	more := 0
	err = o.Health().ExamineAll(d.app.Ctx, o.Operator(), func(id memory.ID, why string) {
		p.Reached(p.Done + 1)
		switch {
		case why == "":
		case id == "":
			found = append(found, why)
		case len(found) < mostDamaged:
			found = append(found, fmt.Sprintf("record %s: %s", id, why))
		default:
			more++
		}
	})
	if err != nil {
		return found, err
	}
	if more > 0 {
		found = append(found, fmt.Sprintf("and %d more damaged records", more))
	}
	report, err := o.VerifyAudit(d.app.Ctx, o.Operator(), nil)
	for _, f := range report.Findings {
		found = append(found, "audit log: "+f.Message)
	}
	return found, err
}

// mostDamaged is how many damaged records are named one by one.
const mostDamaged = 20

// mostAhead is how much the clocks of the database and of this machine may differ.
const mostAhead = 5 * time.Second

// database checks the database itself, apart from its rows.
func (d *doctor) database(e *postgres.Store) {
	s, err := e.Status(d.app.Ctx)
	if err != nil {
		d.bad("database", cli.Describe(err), "see to the database", nil)
		return
	}
	d.good("database", "%s, as user %s in the role %s, schema %d", d.home.Name(), s.User, s.Role, s.Schema)
	if s.Beside < s.Schema {
		d.good("upgrade", unfinished, s.Beside)
	}
	for _, hole := range s.Holes {
		d.bad("owners", hole, "satchel store migrate as the owner of the schema; and let the program's role have no powers of its own", nil)
	}
	if len(s.Holes) == 0 {
		d.good("owners", "row-level security stands between them")
	}
	d.powers(s)
	if s.Ahead.Abs() > mostAhead {
		d.bad("clock", fmt.Sprintf("the clocks of the database and of this machine differ by %s", s.Ahead.Abs().Round(time.Second)),
			"set both by the same time servers: what has expired goes by them", nil)
	} else {
		d.good("clock", "as that of the database")
	}
}

// powers checks what a thief of the URL could do with its user.
func (d *doctor) powers(s postgres.Status) {
	const mend = "let servers connect as a user who is a member of the role satchel and nothing else, as satchel_app in docs/operate.md; " +
		"keep this one for satchel init, store migrate and store scrub"
	switch {
	case s.Superuser:
		d.bad("user", s.User+" is a superuser of the database: whoever takes over a server that connects so may do anything there", mend, nil)
	case s.OwnsTables:
		d.bad("user", s.User+" owns the tables: whoever takes over a server that connects so gets around row-level security", mend, nil)
	default:
		d.good("user", "%s has no more rights than programs need", s.User)
	}
}
