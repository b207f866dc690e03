package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// applicationID stands in the header of every store: "STCH".
const applicationID = 0x53544348

// firstSchema is the number of the first migration. Stores of a smaller number
// come from revisions that were never released.
const firstSchema = 2

//go:embed migrations/*.sql
var migrationFiles embed.FS

func embedded() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // impossible: the path is valid
	}
	return sub
}

// latest returns the number of the last migration. Every migration sets
// user_version to its own number, so that opening a store that is up to date
// takes one look at its header.
func latest(migrations fs.FS) (int, error) { return stored.LatestMigration(migrations) }

// header is a file's description of itself.
type header struct {
	application int
	version     int
	tables      int // tables, without those of SQLite and goose
	foreign     int // triggers and views: no store has any
}

func (h header) ours() bool { return h.application == applicationID }

// fresh reports whether the file is still empty.
func (h header) fresh() bool { return h.application == 0 && h.version == 0 && h.tables == 0 }

// acceptable refuses files that are not stores, and stores of later releases or of
// unreleased revisions.
func (h header) acceptable(known int) error {
	switch {
	case h.fresh():
		return nil
	case !h.ours():
		return refusal("open store", store.ErrNotStore,
			"the file is a database of another program; name another file")
	case h.foreign > 0:
		return refusal("open store", store.ErrNotStore,
			"the store holds triggers or views that satchel did not make; restore a backup that you trust")
	case h.version < firstSchema:
		return refusal("open store", store.ErrNotStore, "this store was written by an unreleased revision of satchel; "+
			"export it with that revision and import the file here")
	case h.version > known:
		return refusal("open store", store.ErrNewer, fmt.Sprintf(
			"the store has schema %d and this release knows schema %d; update satchel", h.version, known))
	}
	return nil
}

const headerSQL = `SELECT
	(SELECT application_id FROM pragma_application_id),
	(SELECT user_version FROM pragma_user_version),
	(SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'),
	(SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view'))`

// inspect reads the header through a reader's connection.
func (s *Store) inspect(ctx context.Context) (header, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return header{}, err
	}
	h, err := readHeader(ctx, c, s.opt.BusyTimeout)
	s.releaseReader(c, err)
	return h, err
}

// Schema returns the number of the schema that an open store has.
func (s *Store) Schema() int { return s.schema }
