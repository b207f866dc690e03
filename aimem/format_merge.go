package aimem

import (
	"iter"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// records walks chunks and carried records, merged by x_ump.order, and then the
// manifest, where the records do not give everything again.
func (r *recordReader) records(m Mapper, sum string) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		chunks, stopChunks := iter.Pull2(r.chunks(m))
		defer stopChunks()
		carried, stopCarried := iter.Pull2(r.carriedRecords(m))
		defer stopCarried()
		if !r.merge(chunks, carried, yield) {
			return
		}
		whole, err := r.isComplete()
		if err != nil {
			yield(memory.Record{}, err)
			return
		}
		if whole {
			r.losses.Add(codec.Loss{Pointer: "/exported_at", Reason: lossExported})
			return
		}
		for rec, err := range m.manifest(r.brain, sum) {
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

type pull = func() (memory.Record, error, bool)

// merge yields both runs, a carried record where the order has it, chunks in
// between, and what is left in the end. It reports whether to go on.
func (r *recordReader) merge(chunks, carried pull, yield func(memory.Record, error) bool) bool {
	next, err, more := carried()
	put := func(rec memory.Record, err error, ok bool) bool { return !ok || yield(rec, err) && err == nil }
	walk := r.brain.Order(func(id string) error {
		if more && err == nil && string(next.ID) == id {
			if !put(next, err, more) {
				return errEnough
			}
			next, err, more = carried()
			return nil
		}
		if !put(chunks()) {
			return errEnough
		}
		return nil
	})
	if walk != nil {
		return walk == errEnough || yield(memory.Record{}, walk) && false
	}
	for rec, err, ok := chunks(); ok; rec, err, ok = chunks() {
		if !put(rec, err, ok) {
			return false
		}
	}
	for ; more; next, err, more = carried() {
		if !put(next, err, more) {
			return false
		}
	}
	return true
}
