package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Part makes a copy of another machine's store one of its own, see [store.Rooted].
func (s *Store) Part(ctx context.Context, owner memory.DID, keep []string, fn func(store.Writer) error) error {
	if err := s.NewLineage(ctx); err != nil {
		return err
	}
	return s.Update(ctx, owner, func(w store.Writer) error {
		if err := w.(*writer).part(keep); err != nil {
			return err
		}
		return fn(w)
	})
}

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
	for _, table := range []string{"receipts", "sessions", "readings", "runs", "audit", "audit_hashes", "audit_heads"} {
		if err := w.drop(`DELETE FROM `+table+` WHERE owner = ? RETURNING seal`, w.owner.number); err != nil {
			return err
		}
	}
	w.owner.Entries, w.owner.Hashes = 0, 0
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
