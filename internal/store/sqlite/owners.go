package sqlite

import (
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/memory"
)

// Table owners: one row per owner, made by the first write.
//
//	owner      small number, from 1
//	did        who that is
//	numbered   the last document number given
//	imported   the last import number given
//	sequence   the last change number given
//	began      the change number after which the feed begins
//	entries    how many entries the audit log has
//	hashes     how many hashes
//	documents  how many documents are indexed, staged ones included
//	length     the sum of their lengths
//	erased     how many Updates have let content leave
//	cleaned    how many of these a Compact has cleaned the files of, see owed.go
//
// An Update reads the row when it starts and writes it once when it ends.
type owner struct {
	number    int64
	numbered  int64
	imported  int64
	sequence  int64
	began     int64
	entries   int64
	hashes    int64
	documents int64
	length    int64
	erased    int64
}

// key is how a row with a number of its owner's own is known in the file: the
// number of the owner in the upper 23 bits, that of the row in the lower 40.
// Rows of an owner thus lie together, in the order in which they came.
func (o owner) key(number int64) int64 { return o.number<<40 | number }

// number takes the row's number out of a key.
func number(key int64) int64 { return key & (1<<40 - 1) }

// identify finds the owner's row; an owner without one has no rows anywhere.
func (s *session) identify(did memory.DID) error {
	err := s.c.first(selectOwner, []any{string(did)}, s.owner.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return translate("read", err)
}

// fields are where selectOwner is scanned into.
func (o *owner) fields() []any {
	return []any{&o.number, &o.numbered, &o.imported, &o.sequence, &o.began, &o.entries, &o.hashes,
		&o.documents, &o.length, &o.erased}
}

const selectOwner = `SELECT owner, numbered, imported, sequence, began, entries, hashes, documents, length, erased
	FROM owners WHERE did = ?`

// enrol makes sure that the owner has a row, before anything is written.
func (w *writer) enrol() error {
	if err := w.ready(); err != nil || w.owner.number != 0 {
		return err
	}
	err := w.first(`INSERT INTO owners (did) VALUES (?) RETURNING owner`, []any{string(w.did)}, &w.owner.number)
	if err != nil {
		w.failed = err
	}
	return err
}

// finish writes the owner's counters once the function has returned well.
func (w *writer) finish() error {
	if w.failed == nil && w.dirty {
		_, w.failed = w.c.exec(updateOwner, w.owner.counters()...)
	}
	return translate("write", w.failed)
}

// counters are the arguments of updateOwner.
func (o owner) counters() []any {
	return []any{o.numbered, o.imported, o.sequence, o.began, o.entries, o.hashes, o.documents, o.length, o.erased, o.number}
}

const updateOwner = `UPDATE owners SET numbered = ?, imported = ?, sequence = ?, began = ?, entries = ?, hashes = ?,
	documents = ?, length = ?, erased = ? WHERE owner = ?`

func listOwners(c *conn) ([]memory.DID, error) {
	var dids []memory.DID
	err := c.each(`SELECT did FROM owners ORDER BY owner`, nil, func(rows *sql.Rows) error {
		var did memory.DID
		err := rows.Scan(&did)
		dids = append(dids, did)
		return err
	})
	return dids, translate("read", err)
}

// Size returns the owner's counters.
func (s *session) Size() (documents, length int64, err error) {
	return s.owner.documents, s.owner.length, s.ready()
}
