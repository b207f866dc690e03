package operate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
)

// TestDoctorAdvises says what helps: with a store of a later release, another satchel
// and not another store; with a user who may too much, another user.
func TestDoctorAdvises(t *testing.T) {
	d := &doctor{home: cli.Home{URL: "postgres://db/x"}}
	d.unopened(fmt.Errorf("open: %w", store.ErrNewer))
	d.powers(postgres.Status{User: "ana", OwnsTables: true})
	d.powers(postgres.Status{User: "ana", Superuser: true})
	for i, want := range []string{"update satchel", "satchel_app", "satchel_app"} {
		if f := d.findings[i]; f.OK || !strings.Contains(f.Mend, want) || strings.Contains(f.Mend, "init makes") {
			t.Errorf("finding %d: %+v", i, f)
		}
	}
	if d.powers(postgres.Status{User: "ana"}); !d.findings[3].OK {
		t.Errorf("a user without powers: %+v", d.findings[3])
	}
}

func TestDoctorOfIndex(t *testing.T) {
	for what, moves := range map[string]bool{
		"owner 1: 8 records are indexed under other terms than they list":               true,
		"owner 1: 2 postings name documents that do not exist":                          true,
		"owner 1: 3 terms occur in another number of documents than is said":            true,
		"table postings: 1 rows are not as satchel writes them":                         true,
		"owner 1: 2 rows of the index are not as satchel writes them":                   true,
		"table aliases, owner 1, row number 1 by key: was changed outside of satchel":   false,
		"owner 1: rows were removed, added or put back to an earlier state of the rows": false,
	} {
		d := &doctor{home: cli.Home{Dir: "here"}}
		d.damage(what)
		if mend := d.findings[0].Mend; strings.Contains(mend, "satchel store move here") != moves {
			t.Errorf("%s: %s", what, mend)
		}
	}
}
