package documents

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ordered exports in the order of creation and, for equal times, of ID (UD-28). So
// two exports of the same memories are the same bytes.
func ordered(o *cli.Session, a *cli.App, q vault.ExportQuery, yield func(memory.Record) error) (vault.ExportReport, error) {
	s := &sorter{dir: o.Scratch(), most: maxHeld, yield: yield}
	report, err := o.Export(a.Ctx, o.Caller(), q, s.add)
	if err == nil {
		err = s.flush()
	}
	return report, errors.Join(err, s.close())
}

// maxHeld is how many records of one instant are held before they are spilled.
const maxHeld = 1000

// sorter takes records in the order of the store, which tells microseconds apart. It
// yields them by creation to the last digit and then by ID. A whole import can have
// one instant: above maxHeld records only the keys stay in memory. The rest waits in
// a file that only its owner can read.
type sorter struct {
	dir   string // for the file
	most  int
	yield func(memory.Record) error

	instant int64 // the microsecond of the held records
	held    []memory.Record
	keys    []sortKey // of the spilled records
	spill   *os.File
	end     int64 // of the file
	done    func() error
}

// sortKey is the sort key of a spilled record, and its place in the file.
type sortKey struct {
	created time.Time
	id      memory.ID
	at      int64
	size    int
}

func (s *sorter) add(rec memory.Record) error {
	now := rec.Time.Created.UnixMicro()
	if now != s.instant {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if len(s.held) >= s.most {
		if err := s.spillHeld(); err != nil {
			return err
		}
	}
	s.instant = now
	s.held = append(s.held, rec)
	return nil
}

// flush yields the held records, in order.
func (s *sorter) flush() error {
	if len(s.keys) > 0 {
		return s.flushSpilled()
	}
	slices.SortFunc(s.held, func(x, y memory.Record) int {
		return cmp.Or(x.Time.Created.Compare(y.Time.Created), cmp.Compare(x.ID, y.ID))
	})
	for _, rec := range s.held {
		if err := s.yield(rec); err != nil {
			return err
		}
	}
	s.held = s.held[:0]
	return nil
}

// spillHeld moves the held records into the file.
func (s *sorter) spillHeld() error {
	if s.spill == nil {
		var err error
		if s.spill, s.done, err = cli.Spool(s.dir); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	for _, rec := range s.held {
		form, err := ump.Encode(rec)
		if err != nil {
			return err
		}
		s.keys = append(s.keys, sortKey{rec.Time.Created, rec.ID, s.end + int64(b.Len()), len(form)})
		b.Write(form)
	}
	if _, err := s.spill.WriteAt(b.Bytes(), s.end); err != nil {
		return err
	}
	s.end += int64(b.Len())
	s.held = s.held[:0]
	return nil
}

// flushSpilled yields the held and spilled records, in order.
func (s *sorter) flushSpilled() error {
	if err := s.spillHeld(); err != nil {
		return err
	}
	slices.SortFunc(s.keys, func(x, y sortKey) int {
		return cmp.Or(x.created.Compare(y.created), cmp.Compare(x.id, y.id))
	})
	for _, k := range s.keys {
		form := make([]byte, k.size)
		if _, err := io.ReadFull(io.NewSectionReader(s.spill, k.at, int64(k.size)), form); err != nil {
			return err
		}
		rec, err := ump.Decode(form, codec.Options{})
		if err != nil {
			return err
		}
		if err := s.yield(rec); err != nil {
			return err
		}
	}
	s.keys, s.end = s.keys[:0], 0
	return nil
}

// close removes the file.
func (s *sorter) close() error {
	if s.spill == nil {
		return nil
	}
	return s.done()
}
