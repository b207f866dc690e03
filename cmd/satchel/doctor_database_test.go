package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
)

// TestDoctorAdvises says what helps: with a store of a later release, another satchel
// and not another store; with a user who may too much, another user.
func TestDoctorAdvises(t *testing.T) {
	d := &doctor{home: home{url: "postgres://db/x"}}
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
