package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// damage makes the newest record of the store unreadable, behind its back.
func damage(t *testing.T, a *cli.App) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(a.Env("SATCHEL_STORE"), cli.DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	done, err := db.Exec(`UPDATE records SET origin = x'7b', current = NULL WHERE doc = (SELECT max(doc) FROM records)`)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		t.Fatalf("%d records damaged: %v", n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedRecordIsTold(t *testing.T) {
	t.Parallel()
	a, out, messages := clitest.Person(t, t.Context())
	for _, args := range [][]string{{"init", "-q"}, {"remember", "whole"}, {"remember", "damaged"}} {
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	damage(t, a)
	written := strings.Fields(out.String())
	if code := run(a, []string{"get", written[len(written)-1]}); code != cli.ExitFailed || !strings.Contains(messages.String(), "satchel doctor") {
		t.Errorf("get of a damaged record ends with %d: %s", code, messages)
	}
	before := len(messages.String())
	if code := run(a, []string{"list"}); code != cli.ExitDone || !strings.Contains(out.String(), "whole") {
		t.Errorf("list ends with %d: %s", code, out)
	}
	told := messages.String()[before:]
	if !strings.Contains(told, "changed outside of satchel") || !strings.Contains(told, "satchel doctor") || strings.Count(told, "\n") != 1 {
		t.Errorf("of a damaged record list says %q", told)
	}
	before = len(messages.String())
	if code := run(a, []string{"list", "-q"}); code != cli.ExitDone || len(messages.String()) != before {
		t.Errorf("quietly, list ends with %d: %s", code, messages.String()[before:])
	}
}
