package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Compact makes sure that what was deleted is gone from the store's files. Copies
// kept from migrations and left over from interrupted backups are removed, pages
// are cleaned, and the log is emptied. The copy of a backup under way stays until
// the backup ends, and with it the debt, see Owed. It fails with store.ErrBusy while some
// process keeps reading an old state; what was deleted is then still in the log.
func (s *Store) Compact(ctx context.Context) error {
	return s.errand(ctx, func(c *conn) error {
		owed, err := debts(c)
		if err != nil {
			return translate("compact", err)
		}
		left, err := s.removeCopies()
		if err != nil {
			return err
		}
		if err := scrub(c); err != nil {
			return translate("compact", err)
		}
		if err := s.emptyLog(ctx, c); err != nil {
			return err
		}
		if left {
			return nil // whoever is at work on the copy removes it; until then the debt stays
		}
		return translate("compact", settle(c, owed))
	})
}

// emptyLog moves the log into the store and cuts it to nothing. That takes a
// moment in which nobody reads an older state.
func (s *Store) emptyLog(ctx context.Context, c *conn) error {
	for start := time.Now(); ; {
		done, err := truncateLog(c)
		if done || err != nil {
			return translate("compact", err)
		}
		if time.Since(start) > s.opt.BusyTimeout {
			return refusal("compact", store.ErrBusy,
				"another process keeps reading, so that deleted content stays in the log; let it finish, then try again")
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// truncateLog moves the log into the store and cuts it to nothing, unless
// somebody reads an older state. It does not wait.
func truncateLog(c *conn) (bool, error) {
	var busy, pages, moved, timeout int
	if err := c.first("PRAGMA busy_timeout", nil, &timeout); err != nil {
		return false, err
	}
	if err := c.first("PRAGMA busy_timeout = 0", nil, &busy); err != nil {
		return false, err
	}
	err := c.first("PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &pages, &moved)
	if retriable(err) {
		busy, err = 1, nil
	}
	back := c.first(fmt.Sprintf("PRAGMA busy_timeout = %d", timeout), nil, &timeout)
	return busy == 0, errors.Join(err, back)
}

// escapePattern makes a file name match itself alone.
func escapePattern(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}
