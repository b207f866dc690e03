package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Compact removes deleted content from the store's files. It removes copies kept from
// migrations and left by interrupted backups, cleans the pages, and empties the log.
// Other callers may write meanwhile; concurrent calls share the work.
//
// It fails with store.ErrBusy while some process keeps reading an old state, since
// the log then still holds deleted content. It also fails so while a backup runs,
// whose copy holds that content. It stops at once when ctx is done. Either way the
// debt stays, see Owed, and any process can settle it.
func (s *Store) Compact(ctx context.Context) error {
	err := s.compactions.do(ctx, s.compact)
	if err == errOver {
		return closed("compact")
	}
	return err
}

func (s *Store) compact(ctx context.Context) error {
	var owed map[int64]int64
	var busy bool
	err := s.errand(ctx, func(c *conn) (err error) {
		if owed, err = debts(c); err != nil {
			return translate("compact", err)
		}
		busy, err = s.removeLeftovers()
		return err
	})
	if err != nil {
		return err
	}
	kept := s.removeKept(ctx) // even if that fails, the rest is cleaned
	if err := s.scrub(ctx); err != nil {
		return errors.Join(err, kept)
	}
	if err := s.emptyLog(ctx); err != nil || kept != nil {
		return errors.Join(err, kept)
	}
	if busy {
		return refusal("compact", store.ErrBusy,
			"a backup is under way and its copy holds what was deleted; let it finish, then try again")
	}
	return s.errand(ctx, func(c *conn) error { return translate("compact", s.settle(ctx, c, owed)) })
}

// scrub cleans the pages of the store, slice by slice.
func (s *Store) scrub(ctx context.Context) (err error) {
	w := &sweep{Store: s, again: make(map[int]bool)}
	for done := false; !done && err == nil; {
		err = s.errand(ctx, func(c *conn) (err error) {
			done, err = w.slice(ctx, c)
			return translate("compact", err)
		})
	}
	if w.reader != nil {
		err = errors.Join(err, w.reader.close())
	}
	return err
}

// How long an attempt to empty the log waits for the current readers while other
// callers cannot write: at first, and later on.
const (
	firstAttempt = time.Second
	laterAttempt = 50 * time.Millisecond
	betweenTries = 200 * time.Millisecond
)

// emptyLog moves the log into the store and truncates it. That needs a moment in
// which no transaction reads an older state. If none comes by itself, new readers are
// asked to wait, see eraserSignal. Other callers write between the attempts.
func (s *Store) emptyLog(ctx context.Context) error {
	for start, again := time.Now(), false; ; again = true {
		done := false
		err := s.errand(ctx, func(c *conn) (err error) {
			done, err = s.tryEmptyLog(ctx, c, again)
			return translate("compact", err)
		})
		if done || err != nil {
			return err
		}
		if time.Since(start) > s.opt.BusyTimeout {
			return refusal("compact", store.ErrBusy,
				"another process keeps reading, so that deleted content stays in the log; let it finish, then try again")
		}
		if err := pause(ctx, again); err != nil {
			return err
		}
	}
}

// pause lets other callers use the store between attempts.
func pause(ctx context.Context, again bool) error {
	if !again {
		return nil
	}
	select {
	case <-time.After(betweenTries):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tryEmptyLog makes one attempt to empty the log.
func (s *Store) tryEmptyLog(ctx context.Context, c *conn, again bool) (bool, error) {
	if !again {
		return truncatePatiently(ctx, c, firstAttempt)
	}
	withdraw, made, err := s.eraserSignal.announce()
	if err != nil || !made {
		done, failed := truncatePatiently(ctx, c, laterAttempt)
		return done, errors.Join(err, failed)
	}
	done, err := truncatePatiently(ctx, c, announceSpan)
	return done, errors.Join(err, withdraw())
}

// truncatePatiently waits for the current readers. While no caller writes, later
// readers do not block it once all of the log is in the store.
func truncatePatiently(ctx context.Context, c *conn, patience time.Duration) (bool, error) {
	for start := time.Now(); time.Since(start) < patience; time.Sleep(time.Millisecond) {
		if done, err := truncateLog(c); done || err != nil {
			return done, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// truncateLog moves the log into the store and truncates it, unless a transaction
// reads an older state. It does not wait.
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
