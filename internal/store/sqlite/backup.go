package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Backup writes a copy of the store to w. It holds one snapshot while other callers
// read and write. It first makes the copy beside the store, in a file that only its
// owner can read. The file is gone when Backup returns.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	select {
	case <-s.closing:
		return closed("backup")
	default:
	}
	if err := errors.Join(ctx.Err(), s.eraserSignal.give(ctx)); err != nil {
		return err
	}
	if err := s.copyTo(ctx, w); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

// copyTo writes a copy of the store to w, by way of a file beside the store.
func (s *Store) copyTo(ctx context.Context, w io.Writer) error {
	c, err := dialPatiently(ctx, s.copying, s.opt.BusyTimeout)
	if err != nil {
		return err
	}
	copied, err := copyInto(ctx, c, s.path)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	return errors.Join(copied.send(ctx, w), copied.remove())
}

// Schemas returns the schema of the store at path and the one that this release writes. It
// changes nothing, and fails as [Open] does for a file that this release cannot use.
func Schemas(ctx context.Context, path string) (found, known int, err error) {
	s, err := asIs(path)
	if err != nil {
		return 0, 0, err
	}
	h, err := s.look(ctx, s.copying)
	if err == nil {
		err = h.acceptable(s.schema)
	}
	return h.version, s.schema, err
}

// CopyAsIs writes a copy of the store at path to w, and keeps the store's schema. Other
// programs may use the store meanwhile.
func CopyAsIs(ctx context.Context, path string, w io.Writer) error {
	s, err := asIs(path)
	if err != nil {
		return err
	}
	return s.copyTo(ctx, w)
}

// asIs describes a store without opening it.
func asIs(path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, opt: Options{}.withDefaults()}
	s.copying = source(path, s.opt.BusyTimeout, "mode=rw")
	s.schema, err = latest(s.opt.migrations)
	return s, err
}

// Part makes a copy of another machine's store one of its own, see [store.Rooted].
func (s *Store) Part(ctx context.Context, owner memory.DID, keep []string, fn func(store.Writer) error) error {
	if err := s.NewLineage(ctx); err != nil {
		return err
	}
	err := s.Update(ctx, owner, func(w store.Writer) error {
		if err := w.(*writer).part(keep); err != nil {
			return err
		}
		return fn(w)
	})
	if err != nil {
		return err
	}
	return s.Compact(ctx) // pages, and a copy from before a migration, may hold what was removed
}

// ofMachine names the sealed tables whose rows belong to a machine. The rows of run_events and
// arrivals do too.
var ofMachine = [...]string{"receipts", "sessions", "readings", "runs", "audit", "audit_hashes", "audit_heads"}

// part removes what belongs to a machine.
func (w *writer) part(keep []string) error {
	spaces, err := w.Spaces()
	if err != nil {
		return err
	}
	w.owner.Leave()
	for _, space := range spaces {
		if slices.Contains(keep, space) {
			continue
		}
		if _, err := w.dropAttached(deleteSpace, w.owner.number, space); err != nil {
			return err
		}
	}
	for _, table := range ofMachine {
		if err := w.drop(`DELETE FROM `+table+` WHERE owner = ? RETURNING seal`, w.owner.number); err != nil {
			return err
		}
	}
	w.owner.Entries, w.owner.Hashes = 0, 0
	if _, err := w.exec(`DELETE FROM arrivals WHERE owner = ?`, w.owner.number); err != nil {
		return err
	}
	err = w.writeTx.remove(deleteAllEvents, []any{w.owner.number}, func(rows *sql.Rows) error {
		var seal sql.RawBytes
		var bytes int
		err := rows.Scan(&seal, &bytes)
		w.owner.Lose(seal)
		w.owner.Use(0, -bytes)
		return err
	})
	if err != nil {
		return err
	}
	return w.SetAccount(store.Account{})
}

const (
	deleteSpace     = `DELETE FROM attachments WHERE owner = ? AND space = ?` + returnAttached
	deleteAllEvents = `DELETE FROM run_events WHERE owner = ? RETURNING seal, octet_length(document)`
)
