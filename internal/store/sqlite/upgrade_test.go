package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// came says with which schema a column came that an older table has.
var came = map[string]int{"owners.attached": 3, "imports.units": 4, "states.departed": 6, "states.bound": 6, "states.address": 6, "runs.queue": 12, "runs.slots": 12}

// earlier makes a store as the release with a schema left it: its own migrations made
// the tables, one by one, and the rows are such as it wrote.
func earlier(t *testing.T, schema int) string {
	t.Helper()
	now := filepath.Join(t.TempDir(), "now.db")
	s := openSealed(t, now, secretOf)
	for _, owner := range []memory.DID{ada, bob} {
		for n := range 3 {
			must(t, s.Update(t.Context(), owner, func(w store.Writer) error {
				if schema < 5 {
					return nearlyEverywhere(w, n)
				}
				return errors.Join(nearlyEverywhere(w, n), agentsEverywhere(w, fmt.Sprint("name", n)))
			}))
		}
	}
	must(t, s.Close())
	inBlocks(t, now)
	path := filepath.Join(t.TempDir(), "satchel.db")
	raw(t, path, func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		must(t, migrateSteps(t.Context(), db, until(t, schema)))
	})
	s, err := Open(t.Context(), path, Options{migrations: until(t, schema)})
	must(t, err)
	must(t, s.Close())
	tables := schemaOf(t, now)
	raw(t, path, func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		execute(t, db, "ATTACH ? AS now", now)
		for name, columns := range tables {
			if name == attachmentsTable.Name || name == sessionsTable.Name || name == readingsTable.Name || name == runsTable.Name || name == runEventsTable.Name || name == "lineage" || schema < 5 && slices.Contains([]string{agentsTable.Name, statesTable.Name, spentTable.Name}, name) {
				continue
			}
			var names []string
			for _, c := range columns {
				if came[name+"."+c.name] <= schema {
					names = append(names, c.name)
				}
			}
			list := strings.Join(names, ", ")
			execute(t, db, fmt.Sprintf("INSERT INTO main.%s (%s) SELECT %s FROM now.%s", name, list, list, name))
		}
	})
	return path
}

// TestUpgrade brings a store of schema 2 or 4 to 12 up to date, after keeping a copy. Every row is as
// it was, to its seal, and attachments, agents, sessions, readings and runs can be added.
func TestUpgrade(t *testing.T) {
	for _, schema := range []int{2, 4, 5, 6, 7, 8, 9, 10, 11, 12} {
		t.Run(fmt.Sprint("from ", schema), func(t *testing.T) { upgraded(t, schema) })
	}
}

// copiedAsIs copies a store of an earlier release, which neither changes it nor its form.
func copiedAsIs(t *testing.T, path string, schema int) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy.db")
	f, err := os.Create(copied)
	must(t, err)
	must(t, errors.Join(CopyAsIs(t.Context(), path, f), f.Close()))
	for _, file := range []string{path, copied} {
		if found, known, err := Schemas(t.Context(), file); err != nil || found != schema || known <= schema {
			t.Errorf("%s has schema %d of %d, %v", filepath.Base(file), found, known, err)
		}
	}
	s := openSealed(t, copied, secretOf)
	sound(t, s)
	stillThere(t, s)
	must(t, s.Close())
}

func upgraded(t *testing.T, schema int) {
	path := earlier(t, schema)
	copiedAsIs(t, path, schema)
	s := openSealed(t, path, secretOf)
	sound(t, s)
	stillThere(t, s)
	if owners, err := s.Due(t.Context(), store.Index, birth, 9); err != nil || len(owners) != 2 {
		t.Errorf("the indexes of %q are to be packed, %v", owners, err)
	}
	update(t, s, func(w store.Writer) error {
		n, err := store.Attach(w, store.Attachment{Space: "s", Key: "k", From: "urn:ump:1", Data: []byte("data")})
		if err == nil && n != 1 {
			t.Errorf("the first has number %d", n)
		}
		return errors.Join(err, agentsEverywhere(w, "name9"), visits(w, "name9"), reads(w, "name9"), goes(w, "name9"))
	})
	if schema >= 5 {
		departs(t, s)
	}
	sound(t, s)
	must(t, s.Close())

	kept := fmt.Sprintf("%s.v%d.bak", path, schema)
	version := 0
	raw(t, kept, func(db *sql.DB) {
		must(t, db.QueryRowContext(t.Context(), "SELECT user_version FROM pragma_user_version").Scan(&version))
	})
	if version != schema {
		t.Errorf("the copy has schema %d", version)
	}
	copied := openSealed(t, kept, secretOf)
	sound(t, copied)
	stillThere(t, copied)
}

// departs lets a checkpoint leave that an earlier release has kept.
func departs(t *testing.T, s *Store) {
	t.Helper()
	update(t, s, func(w store.Writer) error {
		kept, err := w.Agents().State("name1")
		if err != nil || kept.Departed != (store.Departure{}) {
			t.Errorf("it left before it could: %+v, %v", kept.Departed, err)
		}
		kept.Departed = store.Departure{At: birth, For: "elsewhere"}
		return errors.Join(err, w.AgentKeeper().DropState(kept.ID), w.AgentKeeper().PutState(kept))
	})
}

func stillThere(t *testing.T, s *Store) {
	t.Helper()
	both(t, s, func(r store.Reader) {
		row, err := r.Row("urn:ump:2")
		must(t, err)
		id, err := r.Alias("space", "name2")
		must(t, err)
		altered, err := r.Altered([]int64{1, 2, 3})
		must(t, err)
		if row.Columns.Project != "p" || id != "urn:ump:2" || len(altered) > 0 {
			t.Errorf("the row says %+v, the alias %q, altered are %d", row, id, altered)
		}
	})
}
