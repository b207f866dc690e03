package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// Compact makes sure that what was deleted is gone from the store's files. Copies
// kept from migrations and left over from interrupted backups are removed, pages
// are cleaned, and the log is emptied. Others may write meanwhile; who asks at the
// same time shares the work.
//
// It fails with store.ErrBusy while some process keeps reading an old state, so
// that what was deleted is still in the log, or while a backup is under way, whose
// copy holds it. It gives up when ctx is done, without waiting for anybody. Either
// way the debt stays, see Owed, and any process can make up for it.
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
	kept := s.removeKept(ctx) // whatever comes of that, the rest is cleaned
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

// How long an attempt to empty the log waits for the readers of the moment while
// others cannot write: at first, and later on.
const (
	firstAttempt = time.Second
	laterAttempt = 50 * time.Millisecond
	betweenTries = 200 * time.Millisecond
)

// emptyLog moves the log into the store and cuts it to nothing. That takes a
// moment in which nobody reads an older state. If it does not come by itself,
// those who begin to read are asked to wait, see way. Others write between the
// attempts.
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

// pause lets others have the store between attempts.
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

// tryEmptyLog is one attempt.
func (s *Store) tryEmptyLog(ctx context.Context, c *conn, again bool) (bool, error) {
	if !again {
		return truncatePatiently(ctx, c, firstAttempt)
	}
	withdraw, made, err := s.way.announce()
	if err != nil || !made {
		done, failed := truncatePatiently(ctx, c, laterAttempt)
		return done, errors.Join(err, failed)
	}
	done, err := truncatePatiently(ctx, c, announceSpan)
	return done, errors.Join(err, withdraw())
}

// truncatePatiently waits for the readers of the moment. While nobody writes,
// later readers are in nobody's way once all of the log is in the store.
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
