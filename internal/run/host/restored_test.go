//go:build unix

package host_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// TestRestored copies a store while a call of a run is under way, and lets the run end in the
// original. In the copy it does not go on by itself. When a person resumes it there, the model
// is told that nobody knows what became of the call.
func TestRestored(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		h := house(t)
		w := openWorld(t, h, time.Second, turns())
		id := w.begin(mixed)
		killed := make(chan struct{})
		w.on(func(m moment, s seen) bool {
			if m == done && s.what == "pay" && w.kill(s.who) {
				close(killed)
			}
			return false
		})
		w.serve("p1", nil)
		<-killed
		w.on(nil)
		c := w.copied()
		w.serve("p2", nil)
		w.until("the run has ended", func() bool { return w.get(id).Status.Ended() })
		w.killAll()
		w.settled([]string{id})

		if r := c.get(id); r.Status.Ended() {
			t.Fatalf("the copy is of later: %s", r.Status)
		}
		c.serve("copy", nil)
		time.Sleep(3 * time.Second)
		if all := w.requests("copy"); len(all) != 0 {
			t.Errorf("AAIF-8.2-6: the copy goes on by itself: %+v", all)
		}
		c.killAll()
		if _, err := c.Continue(c.Ctx, c.Me(), id, run.ContinueOptions{}); !errors.Is(err, run.ErrCopied) {
			t.Errorf("AAIF-8.2-6: it goes on: %v", err)
		}
		pay := w.keyOf(id, payCall)
		r, err := c.Continue(c.Ctx, c.Me(), id, run.ContinueOptions{Resumes: true})
		if err != nil || r.Status != aaif.Completed || w.tools.Counts()["pay"].Keys[pay] != 1 {
			t.Errorf("resumed: %s, %+v, %v; pay was called %v", r.Status, r.Err, err, w.tools.Counts()["pay"])
		}
		for _, m := range r.Messages {
			if m.Role == "tool" && m.CallID == payCall && m.Content != `{"error":"timed_out"}` {
				t.Errorf("AAIF-8.2-6: the model is told %s", m.Content)
			}
		}
		if n := w.tools.Counts()["book"]; n.Writes != len(n.Keys) {
			t.Errorf("book has %d effects for %d calls", n.Writes, len(n.Keys))
		}
		if found, err := c.Health(c.Ctx); err != nil || len(found) > 0 {
			t.Errorf("doctor says %q, %v", found, err)
		}
	})
}

// copied returns the world over a copy of its store. Nobody else may have the store open.
func (w *world) copied() *world {
	w.T.Helper()
	c := &world{tools: w.tools, model: w.model, server: w.server, folder: w.folder, servers: map[string]*child{}, orders: w.orders, left: map[string]time.Time{}, died: map[string]time.Time{}, turns: w.turns}
	var err error
	if w.Path != "" {
		c.orders.Path = filepath.Join(w.T.TempDir(), "copy.db")
		for _, end := range []string{"", "-wal"} {
			text, err := os.ReadFile(w.Path + end)
			if err == nil {
				err = os.WriteFile(c.orders.Path+end, text, 0o600)
			}
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				w.T.Fatal(err)
			}
		}
	} else {
		_ = w.Store.Close() // a database that is in use is not copied
		c.orders.URL = copyDatabase(w.T, w.URL)
		w.House.Store = w.Again(w.Seal)
		alive(w.House)
		if w.Host, w.agents, err = w.orders.hostOf(w.House); err != nil {
			w.T.Fatal(err)
		}
	}
	c.House = alive(vaulttest.Over(w.T, c.orders.Path, func(seal func(memory.DID) []byte) (s store.Store) {
		if c.orders.Path != "" {
			s = sqlitetest.Open(w.T, c.orders.Path, sqlite.Options{Seal: seal})
		} else if s, err = postgres.Open(context.Background(), c.orders.URL, postgres.Options{Seal: seal}); err != nil {
			w.T.Fatal(err)
		}
		w.T.Cleanup(func() { _ = s.Close() })
		return s
	}))
	if c.Host, c.agents, err = c.orders.hostOf(c.House); err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(c.killAll)
	return c
}

// copyDatabase copies a database that nobody is connected to, as a restored backup does, and
// returns the URL of the copy.
func copyDatabase(t testing.TB, from string) string {
	t.Helper()
	u, err := url.Parse(from)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(u.Path)
	u.Path = "/postgres"
	admin := u.String()
	pgtest.Query(t, admin, "CREATE DATABASE "+name+"_copy TEMPLATE "+name)
	t.Cleanup(func() { pgtest.Query(t, admin, "DROP DATABASE IF EXISTS "+name+"_copy WITH (FORCE)") })
	u.Path = "/" + name + "_copy"
	return u.String()
}
