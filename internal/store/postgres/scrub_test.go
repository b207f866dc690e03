package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// TestScrub looks for what was erased in every file of the database.
func TestScrub(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Durable: true, Settings: map[string]string{"wal_recycle": "off", "autovacuum": "off"}})
	url := server.Database(t)
	must(t, Init(t.Context(), url, Options{}))
	s := openSealed(t, url, secretOf)
	row := rowOf("urn:canary", false)
	row.Origin = []byte(canary + strings.Repeat(" and more", 2000) + canary) // not in line
	row.Columns.Project = canary
	update(t, s, func(w store.Writer) error {
		_, err := w.Insert(row, store.Document{Terms: map[string]int{canary: 1}, Length: 1, Version: 1}, store.Links{})
		return errors.Join(err, w.SetAlias(canary, canary, row.ID), insertSmall(w, "urn:stays"))
	})
	execute(t, url, `ANALYZE`, `CHECKPOINT`)
	if len(holding(t, server.DataDir())) == 0 {
		t.Fatal("what was written is in no file, so that nothing is shown")
	}
	update(t, s, func(w store.Writer) error { return w.Delete(row.ID) })
	if err := s.Compact(t.Context()); !errors.Is(err, store.ErrOperator) {
		t.Errorf("Compact: %v", err)
	}
	execute(t, url, `CHECKPOINT`)
	if len(holding(t, server.DataDir())) == 0 {
		t.Fatal("what was erased has gone by itself, so that nothing is shown")
	}
	must(t, Scrub(t.Context(), url, Options{Seal: secretOf}))
	if files := holding(t, server.DataDir()); len(files) > 0 {
		t.Errorf("what was erased is still in %q", files)
	}
	owed, err := s.Owed(t.Context())
	must(t, errors.Join(err, s.Compact(t.Context())))
	if owed {
		t.Error("a scrub is still owed")
	}
	sound(t, s)
	copies, err := Copies(t.Context(), url, Options{})
	must(t, err)
	if len(copies) != 0 {
		t.Errorf("copies: %q", copies)
	}
}

const canary = "canaryxyzzyplugh"

// holding returns the files below a folder that hold the canary.
func holding(t *testing.T, folder string) (files []string) {
	t.Helper()
	must(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return unlessGone(err)
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(canary)) {
			files = append(files, strings.TrimPrefix(path, folder))
		}
		return unlessGone(err)
	}))
	return files
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// TestScrubHeld scrubs while somebody keeps an old state, and while nobody does.
func TestScrubHeld(t *testing.T) {
	server := pgtest.Start(t, pgtest.Options{Settings: map[string]string{"max_prepared_transactions": "2"}})
	url := server.Database(t)
	must(t, Init(t.Context(), url, Options{}))
	s := openSealed(t, url, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:a") })
	update(t, s, func(w store.Writer) error { return w.Delete("urn:a") })
	execute(t, url, `BEGIN; CREATE TABLE other (a int); PREPARE TRANSACTION 'other'`)
	if err := Scrub(t.Context(), url, Options{Seal: secretOf, ScrubTimeout: time.Millisecond}); !errors.Is(err, store.ErrBusy) {
		t.Errorf("with a prepared transaction: %v", err)
	}
	if owed, err := s.Owed(t.Context()); err != nil || !owed {
		t.Errorf("after a scrub that failed: owed %v, %v", owed, err)
	}
	execute(t, url, `ROLLBACK PREPARED 'other'`)
	begun, end := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- s.View(context.Background(), ada, func(store.Reader) error {
			close(begun)
			<-end
			return nil
		})
	}()
	<-begun
	scrubbed := make(chan error, 1)
	go func() { scrubbed <- Scrub(context.Background(), url, Options{Seal: secretOf}) }()
	select {
	case err := <-scrubbed:
		t.Errorf("a scrub did not wait for a View: %v", err)
	case <-ended:
		t.Error("the View ended by itself")
	case <-time.After(500 * time.Millisecond):
	}
	close(end)
	must(t, errors.Join(<-ended, <-scrubbed))
}

// TestScrubStranger scrubs while somebody who has read nothing of ours keeps the state
// of a moment before something was erased. The scrub waits, and says for whom.
func TestScrubStranger(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:a") })
	c, err := pgx.Connect(t.Context(), url+"&application_name=stranger")
	must(t, err)
	defer c.Close(context.Background()) // nothing is under way
	_, err = c.Exec(t.Context(), `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1`)
	must(t, err)
	update(t, s, func(w store.Writer) error { return w.Delete("urn:a") })
	err = Scrub(t.Context(), url, Options{Seal: secretOf, ScrubTimeout: 300 * time.Millisecond})
	if !errors.Is(err, store.ErrBusy) {
		t.Fatalf("got %v", err)
	}
	if said := err.Error(); !strings.Contains(said, fmt.Sprint(c.PgConn().PID())) || !strings.Contains(said, "stranger") {
		t.Errorf("it does not say who keeps old rows: %q", said)
	}
	if owed, err := s.Owed(t.Context()); err != nil || !owed {
		t.Errorf("after a scrub that failed: owed %v, %v", owed, err)
	}
	scrubbed := make(chan error, 1)
	go func() { scrubbed <- Scrub(context.Background(), url, Options{Seal: secretOf}) }()
	select {
	case err := <-scrubbed:
		t.Fatalf("a scrub did not wait: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	_, err = c.Exec(t.Context(), `COMMIT`)
	must(t, err)
	must(t, <-scrubbed)
}
