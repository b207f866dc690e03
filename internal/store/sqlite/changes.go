package sqlite

import (
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
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
// were all erased begins a new one, whose numbers go on. That number itself has a row of
// type emptied: first and last are the highest document number that was erased then.
// It says whether a row was there before, and is not read as a change.
//
// Index changes_erased finds by its number whether a row was erased.
var changesTable = newTable("changes")

// Changes reads the feed.
func (s *session) Changes(after int64, max int) ([]store.Change, error) {
	if max <= 0 {
		return nil, s.ready()
	}
	var changes []store.Change
	err := s.each(selectChanges, []any{s.owner.number, after, max}, func(rows *sql.Rows) error {
		var c store.Change
		var at int64
		err := rows.Scan(&c.Sequence, &at, &c.Type, &c.ID, &c.Import, &c.First, &c.Last, &c.Mark)
		c.At = stored.Instant(at)
		changes = append(changes, c)
		return err
	})
	return changes, err
}

const selectChanges = `SELECT sequence, at, type, id, import, first, last, mark FROM changes
	WHERE owner = ? AND sequence > ? AND type <> 'emptied' ORDER BY sequence LIMIT ?`

// Record appends to the feed. Updates run one after the other, so the owner's
// counter gives numbers in the order of commits.
func (w *writer) Record(c store.Change) (int64, error) {
	if err := w.enrol(); err != nil {
		return 0, err
	}
	if c.Last < c.First {
		return 0, &memory.Error{Kind: memory.Internal, Op: "record change", Err: errBackwards}
	}
	w.owner.sequence += c.Last - c.First + 1
	return w.owner.sequence, w.putOne(changesTable, w.owner.sequence, stored.Micros(c.At), string(c.Type),
		string(c.ID), c.Import, c.First, c.Last, c.Mark)
}

var errBackwards = errors.New("the last record of a change comes before its first")
