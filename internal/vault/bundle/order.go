package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
)

// inOrder sorts records of one time by the ids under which they are exported (decision
// AD-30), in whatever order they were stored. If there are many such records, their names
// wait in a spool, and the records are read again one by one.
type inOrder struct {
	x     *bundleExport
	yield func(memory.ID, []aimem.Chunk) error
	time  time.Time // of the records, at the precision of the store's order
	same  []ordered
	size  int         // bytes of their chunks
	names *lineSorter // of the records, if they are many; nil: all are in same
}

type ordered struct {
	created time.Time
	name    aimem.URN
	id      memory.ID
	chunks  []aimem.Chunk
}

// line orders a record among others of its time: the digits that the store's order has
// not, and the name.
func (o ordered) line() string {
	return fmt.Sprintf("%03d %s %s", o.created.Nanosecond()%int(time.Microsecond), o.name, o.id)
}

// chunks makes the chunks of a record for add, or only the first one's name where add takes
// no more of them. It may run for several records at once, but not beside add.
func (o *inOrder) chunks(rec memory.Record) ([]aimem.Chunk, error) {
	if o.names != nil && o.time.Equal(rec.Time.Created.Truncate(time.Microsecond)) {
		return []aimem.Chunk{{ID: o.x.name(rec)}}, nil
	}
	return o.x.chunks(rec)
}

// add adds the next record in the order of the store, with what chunks made of it.
func (o *inOrder) add(rec memory.Record, chunks []aimem.Chunk) error {
	if len(chunks) == 0 {
		return nil
	}
	if created := rec.Time.Created.Truncate(time.Microsecond); !created.Equal(o.time) {
		if err := o.flush(); err != nil {
			return err
		}
		o.time = created
	}
	next := ordered{rec.Time.Created, chunks[0].ID, rec.ID, chunks}
	if o.names != nil {
		return o.names.add(next.line())
	}
	for _, c := range chunks {
		o.size += len(c.Content)
	}
	o.same, o.size = append(o.same, next), o.size+len(rec.Form())
	if len(o.same) > 1 && o.size > leavingBytes {
		return o.spill()
	}
	return nil
}

// spill moves the names of the held records into a spool.
func (o *inOrder) spill() (err error) {
	if o.names, err = newLineSorter(o.x.kernel.Spool()); err != nil {
		return err
	}
	for _, held := range o.same {
		if err := o.names.add(held.line()); err != nil {
			return err
		}
	}
	o.same = nil
	return nil
}

// flush yields the records of one time, in their order.
func (o *inOrder) flush() error {
	o.size = 0
	if o.names != nil {
		return o.flushSpilled()
	}
	slices.SortFunc(o.same, func(a, b ordered) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.name, b.name))
	})
	for _, held := range o.same {
		if err := o.yield(held.id, held.chunks); err != nil {
			return err
		}
	}
	clear(o.same)
	o.same = o.same[:0]
	return nil
}

// flushSpilled reads each record again and yields it.
func (o *inOrder) flushSpilled() error {
	err := o.names.each(func(line string) error {
		rec, err := o.x.record(memory.ID(line[strings.LastIndexByte(line, ' ')+1:]))
		if err != nil {
			return err
		}
		chunks, err := o.x.chunks(rec)
		if err != nil {
			return err
		}
		return o.yield(rec.ID, chunks)
	})
	return errors.Join(err, o.close())
}

// close frees the spool.
func (o *inOrder) close() error {
	if o.names == nil {
		return nil
	}
	names := o.names
	o.names = nil
	return names.close()
}
