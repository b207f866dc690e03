package main

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

// damage makes the newest record of the store unreadable, behind its back.
func damage(t *testing.T, a *app) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(a.env("SATCHEL_STORE"), databaseName))
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
	a, out, messages := person(t, t.Context())
	for _, args := range [][]string{{"init", "-q"}, {"remember", "whole"}, {"remember", "damaged"}} {
		if code := run(a, args); code != exitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	damage(t, a)
	written := strings.Fields(out.String())
	if code := run(a, []string{"get", written[len(written)-1]}); code != exitFailed || !strings.Contains(messages.String(), "satchel doctor") {
		t.Errorf("get of a damaged record ends with %d: %s", code, messages)
	}
	before := len(messages.String())
	if code := run(a, []string{"list"}); code != exitDone || !strings.Contains(out.String(), "whole") {
		t.Errorf("list ends with %d: %s", code, out)
	}
	told := messages.String()[before:]
	if !strings.Contains(told, "changed outside of satchel") || !strings.Contains(told, "satchel doctor") || strings.Count(told, "\n") != 1 {
		t.Errorf("of a damaged record list says %q", told)
	}
	before = len(messages.String())
	if code := run(a, []string{"list", "-q"}); code != exitDone || len(messages.String()) != before {
		t.Errorf("quietly, list ends with %d: %s", code, messages.String()[before:])
	}
}

func TestComplaints(t *testing.T) {
	var b bytes.Buffer
	log := (&app{err: &b}).logger().With("op", "list").WithGroup("g")
	log.Info("of no concern")
	log.Error("vault", "err", &memory.Error{Kind: memory.Internal, Message: "broken\x1b[31m", Err: errors.New("why")})
	if got, want := b.String(), "satchel: vault: list: broken<U+001B>[31m (why)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b.Reset()
	slog.New((&app{err: &b, quiet: true}).logger().Handler()).Error("x")
	if b.Len() != 0 {
		t.Errorf("quietly: %q", b.String())
	}
}
