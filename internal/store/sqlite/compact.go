package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Compact makes sure that what was deleted is gone from the store's files. Copies
// kept from migrations and left over from interrupted backups are removed, pages
// are cleaned, and the log is emptied. It fails with store.ErrBusy while some
// process keeps reading an old state; what was deleted is then still in the log.
func (s *Store) Compact(ctx context.Context) error {
	return s.errand(ctx, func(c *conn) error {
		if err := s.removeCopies(); err != nil {
			return err
		}
		if err := scrub(c); err != nil {
			return translate("compact", err)
		}
		return s.emptyLog(ctx, c)
	})
}

// removeCopies removes whatever else beside the store holds content.
func (s *Store) removeCopies() error {
	dir, base := filepath.Split(s.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		kept, _ := filepath.Match(escapePattern(base)+".v*.bak", entry.Name())
		left, _ := filepath.Match(escapePattern(base)+".copy-*", entry.Name())
		if kept || left {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

// emptyLog moves the log into the store and cuts it to nothing. That takes a
// moment in which nobody reads an older state.
func (s *Store) emptyLog(ctx context.Context, c *conn) error {
	start := time.Now()
	for {
		var busy, pages, moved int
		err := c.first("PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &pages, &moved)
		if err != nil && !retriable(err) {
			return translate("compact", err)
		}
		if err == nil && busy == 0 {
			return nil
		}
		if time.Since(start) > s.opt.BusyTimeout {
			return refusal("compact", store.ErrBusy,
				"another process keeps reading, so that deleted content stays in the log; let it finish, then try again")
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// escapePattern makes a file name match itself alone.
func escapePattern(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}
