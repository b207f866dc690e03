package stored

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table changes: the change feed of each owner, without gaps.
//
//	owner, sequence  key; sequence counts from 1 in the order of commits
//	at, type         when and what
//	id               the record, empty for an import
//	import           the import, 0 for a record
//	first, last      document numbers of the records of an import, of a record that
//	                 was erased its number twice, 0 for any other; the change takes
//	                 last-first+1 sequence numbers, of which sequence is the last
//	mark             see [store.Change]
//
// The feed begins after the number that owners.began says: an owner whose rows
// were all erased begins a new feed, whose numbers go on. The number itself has a row of
// type emptied: first and last are the highest document number that was erased then.
// It says whether a row was there before, and no reader of the feed sees it.
//
// Index changes_erased finds by its number whether a row was erased.

// Head returns the owner's counter of changes.
func (j Journal) Head() (int64, error) { return j.tx.OwnerRow().Sequence, j.tx.Ready() }

// Changes reads the feed.
func (j Journal) Changes(after int64, max int) ([]store.Change, error) {
	if max <= 0 || after >= j.tx.OwnerRow().Sequence {
		return nil, j.tx.Ready()
	}
	var changes []store.Change
	err := j.tx.Query(j.sql.Changes, []any{after, max}, func(row Scanner) error {
		var c store.Change
		var at int64
		err := row.Scan(&c.Sequence, &at, &c.Type, &c.ID, &c.Import, &c.First, &c.Last, &c.Mark)
		c.At = Instant(at)
		changes = append(changes, c)
		return err
	})
	return changes, err
}

// Record appends to the feed. Updates run one after the other, so the owner's counter
// follows the order of commits.
func (j JournalKeeper) Record(c store.Change) (int64, error) {
	if err := j.tx.Enrol(); err != nil {
		return 0, err
	}
	if c.Last < c.First {
		return 0, &memory.Error{Kind: memory.Internal, Op: "record change", Err: errBackwards}
	}
	o := j.tx.OwnerRow()
	o.Sequence, o.Recorded = o.Sequence+c.Last-c.First+1, true
	return o.Sequence, putOne(j.tx, "changes", o.Sequence, Micros(c.At), string(c.Type), string(c.ID), c.Import, c.First, c.Last, c.Mark)
}

var errBackwards = errors.New("the last record of a change comes before its first")
