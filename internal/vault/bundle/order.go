package bundle

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
)

// inOrder sorts records of one time by the ids under which they are exported (decision
// AD-30), in whatever order they were stored. If there are many such records, it keeps
// only their names and reads the records again one by one.
type inOrder struct {
	x     *bundleExport
	yield func(memory.ID, []aimem.Chunk) error
	same  []ordered // records of one time, at the precision of the store's order
	size  int       // bytes of their chunks
}

type ordered struct {
	created time.Time
	name    aimem.URN
	id      memory.ID
	chunks  []aimem.Chunk // nil: flush reads them again
}

// add adds the next record in the order of the store.
func (o *inOrder) add(rec memory.Record, chunks []aimem.Chunk) error {
	if len(chunks) == 0 {
		return nil
	}
	created := rec.Time.Created
	if len(o.same) > 0 && !o.same[0].created.Truncate(time.Microsecond).Equal(created.Truncate(time.Microsecond)) {
		if err := o.flush(); err != nil {
			return err
		}
	}
	// The id is part of the record's document, all of which it would hold in memory.
	next := ordered{created, chunks[0].ID, memory.ID(strings.Clone(string(rec.ID))), chunks}
	for _, c := range chunks {
		o.size += len(c.Content)
	}
	o.size += len(rec.Form())
	if len(o.same) > 0 && o.size > leavingBytes {
		for i := range o.same {
			o.same[i].chunks = nil
		}
		next.chunks = nil
	}
	o.same = append(o.same, next)
	return nil
}

// flush yields the records that are held, in their order.
func (o *inOrder) flush() error {
	slices.SortFunc(o.same, func(a, b ordered) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.name, b.name))
	})
	for i := range o.same {
		next := &o.same[i]
		if err := o.read(next); err != nil {
			return err
		}
		if err := o.yield(next.id, next.chunks); err != nil {
			return err
		}
		next.chunks = nil
	}
	o.same, o.size = o.same[:0], 0
	return nil
}

func (o *inOrder) read(next *ordered) error {
	if next.chunks != nil {
		return nil
	}
	rec, err := o.x.record(next.id)
	if err == nil {
		next.chunks, err = o.x.chunks(rec)
	}
	return err
}
