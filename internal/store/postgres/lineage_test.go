package postgres

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// TestLineage opens a database again, migrates it, and looks at a copy of it: the copy has
// the same marker, and lies elsewhere.
func TestLineage(t *testing.T) {
	lineage := func(url string) (name string) {
		t.Helper()
		must(t, openSealed(t, url, nil).View(t.Context(), ada, func(r store.Reader) (err error) {
			name, err = r.Runs().Lineage()
			return err
		}))
		return name
	}
	url, copied := made(t), made(t)
	const marker = `SELECT encode(lineage, 'hex') FROM satchel.schema_version`
	if a, b := pgtest.Query(t, url, marker), pgtest.Query(t, copied, marker); len(a) != 1 || len(a[0]) != 32 || a[0] != b[0] {
		t.Fatalf("the markers are %q and %q", a, b)
	}
	first := lineage(url)
	if first == "" || lineage(url) != first {
		t.Errorf("it was %q and is %q", first, lineage(url))
	}
	must(t, Migrate(t.Context(), url, Options{}))
	if lineage(url) != first {
		t.Error("a migration gave it another")
	}
	if lineage(copied) == first {
		t.Error("a copy has the same lineage")
	}
	s := openSealed(t, url, nil)
	if !s.placed {
		t.Error("programs may not ask where the database lies")
	}
	s.placed = false // as where the user may not ask
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		name, err := r.Runs().Lineage()
		if name == "" || name == first {
			t.Errorf("by its marker alone it is %q", name)
		}
		return err
	}))
}

// TestLineageFailsOver has a replica take the place of a server: a failover may lose what was
// acknowledged, so runs wait for a person. Nothing else does when a server starts again.
func TestLineageFailsOver(t *testing.T) {
	racing.Skip(t)
	server := pgtest.Start(t, pgtest.Options{})
	must(t, Init(t.Context(), server.URL(), Options{}))
	hold := func(url string) (lineage string, err error) {
		s, err := Open(t.Context(), url, Options{Seal: secretOf})
		must(t, err)
		defer func() { must(t, s.Close()) }()
		err = s.Update(t.Context(), ada, func(w store.Writer) error {
			if lineage, err = w.Runs().Lineage(); err != nil {
				return err
			}
			if _, err := w.Runs().Run("x"); errors.Is(err, store.ErrNotFound) {
				must(t, w.RunKeeper().PutRun(store.Run{ID: "x", Status: "running", Lineage: lineage, Began: birth}))
			}
			_, err = w.RunKeeper().HoldRun("x", store.Hold{Holder: "one", Lease: time.Minute})
			return err
		})
		return lineage, err
	}
	first, err := hold(server.URL())
	must(t, err)
	must(t, server.Restart(pgtest.Immediate))
	if again, err := hold(server.URL()); err != nil || again != first {
		t.Errorf("after a restart the lineage is %s and was %s, %v", again, first, err)
	}
	standby := server.Standby(t)
	must(t, server.FailOver(standby))
	if now, err := hold(standby.URL()); !errors.Is(err, store.ErrCopied) || now == first {
		t.Errorf("after a failover the lineage is %s and was %s, %v", now, first, err)
	}
}
