package server_test

import (
	"context"
	"database/sql"
	"errors"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// pagedIn builds a house with pages in a place.
func pagedIn(t *testing.T, p place) house {
	t.Helper()
	return buildIn(t, p, vault.Options{}, server.Options{Rate: 1e6, Burst: 1e6, Pages: server.Pages{Name: pageHost, Store: "/home/ana"}, Log: (&record{}).logger()})
}

// reopened is the place of a file that is opened with other options.
func reopened(t *testing.T, path string, o sqlite.Options) place {
	o.Seal = func(memory.DID) []byte { return vault.SealSecret(seeded(t, 7)) }
	return place{path: path, over: func(first store.Store) store.Store {
		_ = first.Close()
		s := sqlitetest.Open(t, path, o)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}}
}

// troubled expects a whole page with a status that says each of some texts, and nothing that
// only programmers read.
func troubled(t *testing.T, got answer, status int, says ...string) {
	t.Helper()
	body := html.UnescapeString(string(got.body))
	for _, want := range append(says, "<h1", "</html>") {
		if got.StatusCode != status || !strings.Contains(body, want) {
			t.Errorf("%d, want %d; no %q in %s", got.StatusCode, status, want, body)
		}
	}
	for _, bare := range []string{"SQLITE", "SQLSTATE", "goroutine", "dial tcp", "internal", "sql:", "satchel.db", "idempotency"} {
		if strings.Contains(body, bare) {
			t.Errorf("the page says %q: %s", bare, body)
		}
	}
}

const (
	goBack    = "go back: what you typed is still there"
	ferryForm = "kind=semantic&text=The+ferry+leaves+at+six."
)

// While another program holds the store, pages are read, and a change is refused (A13).
func TestPagesStoreHeld(t *testing.T) {
	t.Parallel()
	h := pagedIn(t, reopened(t, placeOf(t).path, sqlite.Options{BusyTimeout: 300 * time.Millisecond}))
	b := h.browser(t)
	db, err := sql.Open("sqlite", h.place.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	other, err := db.Conn(t.Context())
	if err == nil {
		_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	troubled(t, b.send(t, "/me/memories/new", ferryForm), 503, "Another process holds the store.", goBack)
	troubled(t, h.look(t, "GET", "/me/", "", b.cookie), 200, "Nothing is remembered yet")
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if got := b.send(t, "/me/memories/new", ferryForm); got.StatusCode != 303 {
		t.Errorf("afterwards: %d %s", got.StatusCode, got.body)
	}
}

// Over a store that can only be read, every page is read, and a change says who has to do
// what (A13).
func TestPagesStoreReadOnly(t *testing.T) {
	t.Parallel()
	h := paged(t)
	h.remember(t, "Tea at four.")
	b := h.browser(t)
	tea := h.path(t, "Tea at four.")
	there := pagedIn(t, reopened(t, h.place.path, sqlite.Options{ReadOnly: true}))
	for _, path := range []string{"/me/", "/me/memories", tea, tea + "/correct", "/me/search?q=tea", "/me/context", "/me/waiting", "/me/imports", "/me/timeline", "/me/audit", "/me/sharing", "/me/assistants", "/me/health", "/me/settings", "/me/help"} {
		troubled(t, there.look(t, "GET", path, "", b.cookie), 200)
	}
	b.house = there
	for path, form := range map[string]string{"/me/memories/new": ferryForm, tea + "/correct": "text=Tea+at+five.", tea + "/forget": "", tea + "/wrong": ""} {
		troubled(t, b.send(t, path, form), 500, "The store was opened for reading only.", goBack)
	}
}

// While the database is down, pages say so; when it is back, the form that was open is sent
// (A13).
func TestPagesDatabaseGone(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	database := pgtest.Start(t, pgtest.Options{})
	if err := postgres.Init(context.Background(), database.URL(), postgres.Options{}); err != nil {
		t.Fatal(err)
	}
	h := pagedIn(t, place{url: database.URL()})
	b := h.browser(t)
	if err := database.Halt(pgtest.Fast); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/me/", "/me/memories", "/me/search?q=tea"} {
		troubled(t, h.look(t, "GET", path, "", b.cookie), 503, "cannot be reached", "Wait a moment, then load the page again.")
	}
	troubled(t, b.send(t, "/me/memories/new", ferryForm), 503, "cannot be reached", goBack)
	if err := database.Resume(); err != nil {
		t.Fatal(err)
	}
	if got := b.send(t, "/me/memories/new", ferryForm); got.StatusCode != 303 {
		t.Errorf("afterwards: %d %s", got.StatusCode, got.body)
	}
}

// What the store says is told with what to do. A connection that is lost while something is
// stored leaves open whether it was (A13).
func TestPagesStoreFails(t *testing.T) {
	t.Parallel()
	failing := &failingStore{}
	h := pagedIn(t, place{path: placeOf(t).path, over: func(s store.Store) store.Store {
		failing.Store = s
		return failing
	}})
	b := h.browser(t)
	for _, c := range []struct {
		fails  error
		status int
		says   []string
	}{
		{store.ErrUncertain, 503, []string{"The database was lost while this was being stored, and it is not known whether it was."}},
		{&memory.Error{Kind: memory.Internal, Err: store.ErrFull, Message: "the disk is full; make room, then try again"}, 500, []string{"The disk is full.", "Make room, then try again."}},
		{&memory.Error{Kind: memory.Internal, Err: store.ErrReadOnly, Message: "the store cannot be written; check the permissions of its folder and files"}, 500, []string{"The store cannot be written.", "Check the permissions of its folder and files."}},
		{errors.New("sql: out of luck"), 500, []string{"The store failed.", "atchel doctor"}},
	} {
		failing.fails = c.fails
		got := b.send(t, "/me/memories/new", ferryForm)
		troubled(t, got, c.status, append(c.says, goBack)...)
		if strings.Contains(string(got.body), "othing was") {
			t.Errorf("the page says more than is known: %s", got.body)
		}
	}
}

// failingStore fails after changes.
type failingStore struct {
	store.Store
	fails error
}

func (s *failingStore) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	if err := s.Store.Update(ctx, owner, fn); err != nil {
		return err
	}
	return s.fails
}

// A form that was open while the server stopped is sent to the next one (A13).
func TestPagesServerStopped(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b := h.browser(t)
	if err := h.store.Close(); err != nil { // as a server that stops does, while it still answers
		t.Fatal(err)
	}
	troubled(t, h.look(t, "GET", "/me/memories/new", "", b.cookie), 503, "The server is shutting down.", "Wait a moment, then load the page again.")
	troubled(t, b.send(t, "/me/memories/new", ferryForm), 503, "The server is shutting down.", goBack)
	h.stop()
	<-h.ended
	if _, err := h.try(t, "GET", "/me/", ""); err == nil {
		t.Error("the server answers")
	}
	b.house = pagedIn(t, h.place)
	if got := b.send(t, "/me/memories/new", ferryForm); got.StatusCode != 303 || !strings.Contains(b.house.all(t), "The ferry leaves at six.") {
		t.Errorf("afterwards: %d %s", got.StatusCode, got.body)
	}
}
