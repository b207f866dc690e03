package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table owners: one row per owner, made by the first write.
//
//	owner      small number, from 1
//	did        who that is
//	numbered   the last document number given
//	imported   the last import number given
//	attached   the last attachment number given
//	sequence   the last change number given
//	began      the change number after which the feed begins
//	entries    how many entries the audit log has
//	hashes     how many hashes
//	documents  how many documents are indexed, staged ones included
//	length     the sum of their lengths
//	records    how many rows there are in table records
//	bytes      how long their columns origin and current, the data of attachments, and the documents of agents and states
//	           are together
//	erased     how many Updates have let content leave
//	cleaned    how many of these a Compact has cleaned the files of, see owed.go
//	added      when the operator let the owner in, the zero time: nobody did
//	quota_…    how many records and bytes the owner may have, 0: any number
//	revoked    which grants are revoked, see [stored.Revoked]
//	moved      how far the owner has gone over to another, see [store.Trust]
//	label      by which the operator knows the owner
//	account    the owner's key, sealed; NULL: it is held elsewhere
//	total      the sum of the seals of the owner's rows in the other tables
//	secret     tells the secret apart that seals were last made with
//
// An Update reads the row when it starts and writes it once when it ends.
var ownersTable = newTable("owners")

type owner struct {
	number    int64
	numbered  int64
	imported  int64
	attached  int64
	sequence  int64
	began     int64
	entries   int64
	hashes    int64
	documents int64
	length    int64
	records   int64
	bytes     int64
	erased    int64
	cleaned   int64
	revoked   []byte
	moved     string
	account   store.Account
	total     stored.Sum
	secret    []byte
	seal      []byte         // of the row as it was read
	heir      *stored.Sealer // for writers: whose seal it gets; nil: it keeps that one
}

// key is how a row with a number of its owner's own is known in the file: the
// number of the owner in the upper 23 bits, that of the row in the lower 40.
// Rows of an owner thus lie together, in the order in which they came.
func (o owner) key(number int64) int64 { return o.number<<40 | number }

// number takes the row's number out of a key.
func number(key int64) int64 { return key & (1<<40 - 1) }

// identify finds the owner's row; an owner without one has no rows anywhere, or is
// on the way, see [store.Carrier].
func (s *session) identify() error {
	var total []byte
	var added int64
	err := s.c.first(selectOwner, []any{string(s.did)}, s.owner.fields(&added, &total)...)
	if errors.Is(err, sql.ErrNoRows) {
		return refuseArriving(s.c, s.did)
	}
	s.owner.account.Added, s.owner.total = stored.Instant(added), stored.ParseSum(total)
	return translate("read", err)
}

// fields are where selectOwner is scanned into.
func (o *owner) fields(added *int64, total *[]byte) []any {
	a := &o.account
	return []any{&o.number, &o.numbered, &o.imported, &o.attached, &o.sequence, &o.began, &o.entries, &o.hashes, &o.documents,
		&o.length, &o.records, &o.bytes, &o.erased, &o.cleaned, added, &a.Quota.Records, &a.Quota.Bytes, &o.revoked,
		&o.moved, &a.Label, &a.Key, total, &o.secret, &o.seal}
}

// values are the columns of the row.
func (o *owner) values(did memory.DID) []any {
	a := &o.account
	return []any{string(did), o.numbered, o.imported, o.attached, o.sequence, o.began, o.entries, o.hashes, o.documents,
		o.length, o.records, o.bytes, o.erased, o.cleaned, stored.Micros(a.Added), a.Quota.Records, a.Quota.Bytes, o.revoked,
		o.moved, a.Label, a.Key, o.total.Bytes(), o.secret}
}

var selectOwner = `SELECT owner, ` + strings.Join(ownersTable.names[1:], ", ") + `, seal FROM owners WHERE did = ?`

// writer begins an Update of an owner.
func (k *committer) writer(ctx context.Context, c *conn, did memory.DID) *writer {
	s := k.seals[did]
	if s == nil {
		s = k.sealer(did)
	}
	if s.Keyed { // else the secret may come to hand later
		k.seals[did] = s
	}
	return &writer{session: session{c: c, ctx: ctx, did: did, sealer: func() *stored.Sealer { return s }, writes: true}, seals: s}
}

// identify finds the owner's row for an Update.
func (w *writer) identify() error {
	err := w.session.identify()
	if o := &w.owner; err == nil && o.number != 0 {
		o.heir = w.seals.Heir(o.secret, ownersTable.Name, o.values(w.did), o.seal)
	}
	return err
}

// enrol makes sure that the owner has a row, before anything is written.
func (w *writer) enrol() error {
	if err := w.ready(); err != nil || w.owner.number != 0 {
		return err
	}
	o := &w.owner
	o.heir, o.secret, o.revoked, w.dirty = w.seals, w.seals.ID, stored.Revoked(nil), true
	err := w.first(insertOwner, append(o.values(w.did), []byte{}), &o.number)
	if err != nil {
		w.failed = err
	}
	return err
}

var insertOwner = `INSERT INTO owners (` + ownersTable.list + `) SELECT ` + nextOwner +
	strings.Repeat(", ?", len(ownersTable.names)+1) + ` RETURNING owner`

// nextOwner is a number that no records or attachments have: those of an owner whose row was
// removed from outside are nobody's, and not the next one's.
const nextOwner = `1 + max((SELECT coalesce(max(owner), 0) FROM owners), (SELECT coalesce(max(owner), 0) FROM arrivals),
	(SELECT coalesce(max(doc), 0) FROM records) >> 40, (SELECT coalesce(max(doc), 0) FROM attachments) >> 40)`

// finish writes the owner's row once the function has returned well.
func (w *writer) finish() error {
	if w.failed == nil {
		w.failed = w.writePending()
	}
	if w.failed != nil || !w.dirty {
		return translate("write", w.failed)
	}
	o := &w.owner
	if w.seals.Keyed {
		o.secret = w.seals.ID
	}
	values, seal := o.values(w.did), o.seal
	if o.heir != nil {
		seal = o.heir.Seal(ownersTable.Name, values)
	}
	_, w.failed = w.c.exec(updateOwner, append(values[1:], seal, o.number)...)
	return translate("write", w.failed)
}

var updateOwner = `UPDATE owners SET ` + strings.Join(ownersTable.names[1:], " = ?, ") + ` = ?, seal = ? WHERE owner = ?`

// Moved returns what the owner's row says.
func (s *session) Moved() (string, error) { return s.owner.moved, s.ready() }

// SetMoved changes it when the Update ends.
func (w *writer) SetMoved(how string) error {
	if err := w.enrol(); err != nil {
		return err
	}
	w.owner.moved, w.dirty = how, true
	return nil
}

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
