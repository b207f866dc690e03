package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
)

// sweep scrubs every page of the store, some at a time, and lets other processes
// write in between. Their writes can carry deleted content from a page not yet
// scrubbed to one already scrubbed, since SQLite renumbers pages when it balances a
// tree. So the sweep scrubs pages written meanwhile again; the log holds their
// numbers. A reader keeps a snapshot between slices, so that the log stays: while it
// reads, the log can start over once at most, and only if the mark taken before lies
// at its end.
type sweep struct {
	*Store
	reader *conn        // nil before the first slice has ended
	last   int          // the number of pages at the start; the log lists later ones
	next   int          // the next page to scrub, from 1
	again  map[int]bool // pages written after they were scrubbed
	mark   logMark
}

// logMark is a place in the log.
type logMark struct {
	salt   [8]byte // changes whenever the log starts over; zero while there is none
	frames int64
}

// slice scrubs some pages in a transaction of its own and reports whether it was the
// last one. It runs while no other process writes.
func (w *sweep) slice(ctx context.Context, c *conn) (done bool, err error) {
	if err := w.catchUp(c); err != nil {
		return false, err
	}
	if err := w.begin(ctx, c, "BEGIN IMMEDIATE"); err != nil {
		return false, err
	}
	if err := w.scrubSome(ctx, c); err != nil {
		_, rollback := c.exec("ROLLBACK")
		return false, errors.Join(err, rollback)
	}
	if _, err := c.exec("COMMIT"); err != nil {
		return false, err
	}
	clear(w.again)
	if w.last >= maxPages {
		_, err := c.exec("VACUUM")
		return true, err
	}
	if w.next > w.last {
		return true, nil
	}
	return false, w.remember(ctx, c)
}

func (w *sweep) scrubSome(ctx context.Context, c *conn) error {
	if w.last == 0 {
		if err := c.first("PRAGMA page_count", nil, &w.last); err != nil || w.last >= maxPages {
			return err
		}
		w.next = 1
	}
	pages := slices.Sorted(maps.Keys(w.again))
	for end := w.next + w.opt.slicePages; w.next < end && w.next <= w.last; w.next++ {
		pages = append(pages, w.next)
	}
	for some := range slices.Chunk(pages, pagesAtOnce) {
		if err := errors.Join(ctx.Err(), scrubPages(ctx, c, some)); err != nil {
			return err
		}
	}
	return nil
}

// remember notes the end of the log and makes the reader keep it.
func (w *sweep) remember(ctx context.Context, c *conn) (err error) {
	if w.reader == nil {
		if w.reader, err = dialPatiently(ctx, w.reading, w.opt.BusyTimeout); err != nil {
			return err
		}
	}
	if w.mark, err = w.logged(c); err != nil {
		return err
	}
	return w.begin(ctx, w.reader, "BEGIN")
}

// catchUp finds the pages written since the last slice and releases the log. It
// shortens a log that has grown long.
func (w *sweep) catchUp(c *conn) error {
	if w.reader == nil {
		return nil
	}
	now, err := w.logged(c)
	if err != nil {
		return err
	}
	from := w.mark.frames
	if now.salt != w.mark.salt {
		from = 0
	}
	if err := w.written(c, from, now.frames); err != nil {
		return err
	}
	if _, err := w.reader.exec("ROLLBACK"); err != nil {
		return err
	}
	if info, err := os.Stat(w.path + "-wal"); err == nil && info.Size() > w.opt.maxLog/2 {
		_, err := truncateLog(c) // as far as possible
		return err
	}
	return nil
}

// logged asks SQLite how many frames the log has, which also moves some of them
// into the store.
func (w *sweep) logged(c *conn) (logMark, error) {
	var mark logMark
	var busy, moved int
	if err := c.first("PRAGMA wal_checkpoint(PASSIVE)", nil, &busy, &mark.frames, &moved); err != nil {
		return logMark{}, err
	}
	log, err := os.Open(w.path + "-wal")
	if err != nil {
		return logMark{}, err
	}
	defer log.Close() // only read
	if _, err := log.ReadAt(mark.salt[:], 16); err != nil && err != io.EOF {
		return logMark{}, err
	}
	return mark, nil
}

// The log begins with a header of 32 bytes, whose third quarter is the salt. Each
// frame is a header of 24 bytes, which begins with the number of the page, and
// the page (section 4 of SQLite's file format).
const (
	logHeader   = 32
	frameHeader = 24
)

// written notes the pages of some frames that were scrubbed already, or are new.
func (w *sweep) written(c *conn, from, to int64) error {
	var size int64
	if err := c.first("PRAGMA page_size", nil, &size); err != nil {
		return err
	}
	log, err := os.Open(w.path + "-wal")
	if err != nil {
		return err
	}
	defer log.Close() // only read
	number := make([]byte, 4)
	for i := from; i < to; i++ {
		if _, err := log.ReadAt(number, logHeader+i*(frameHeader+size)); err != nil {
			return err
		}
		if page := int(binary.BigEndian.Uint32(number)); page < w.next || page > w.last {
			w.again[page] = true
		}
	}
	return nil
}
