package sqlite

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// What an owner is as one of many, and has, stands in the owner's row.

// Account returns what the operator filed.
func (s *session) Account() (store.Account, error) { return s.owner.account, s.ready() }

// SetAccount changes it when the Update ends.
func (w *writer) SetAccount(a store.Account) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if len(a.Key) == 0 {
		a.Key = nil
	}
	a.Added = stored.Instant(stored.Micros(a.Added))
	w.owner.account, w.dirty = a, true
	return nil
}

// Usage returns the owner's counters.
func (s *session) Usage() (records, bytes int64, err error) {
	return s.owner.records, s.owner.bytes, s.ready()
}

// use counts records that came or went, and bytes.
func (w *writer) use(records, bytes int) {
	w.owner.records += int64(records)
	w.owner.bytes += int64(bytes)
	w.dirty = true
}

// remove deletes a row of table records and counts what goes with it. What a row
// had that was changed outside is not known any more: then all is counted anew.
func (w *writer) remove(doc int64) error {
	old, err := w.whole(recordsTable, number(doc))
	if err != nil {
		return err
	}
	w.use(-1, -length(old.values[placeOrigin])-length(old.values[placeCurrent]))
	if err := w.drop(`DELETE FROM records WHERE doc = ? RETURNING seal`, doc); err != nil {
		return err
	}
	if w.heir(recordsTable, old) == nil {
		return w.first(selectUsage, []any{w.owner.key(0), w.owner.key(1<<40 - 1), w.owner.number}, &w.owner.records, &w.owner.bytes)
	}
	return nil
}

const selectUsage = `SELECT count(*), coalesce(sum(octet_length(origin)), 0) + coalesce(sum(octet_length(current)), 0)
	+ (SELECT coalesce(sum(octet_length(data)), 0) FROM attachments WHERE doc BETWEEN ?1 AND ?2)
	+ (SELECT coalesce(sum(octet_length(document)), 0) FROM agents WHERE owner = ?3)
	+ (SELECT coalesce(sum(octet_length(document)), 0) FROM states WHERE owner = ?3) FROM records WHERE doc BETWEEN ?1 AND ?2`
