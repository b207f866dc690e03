package stored

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// JournalSQL are a store's statements on changes, receipts and imports.
type JournalSQL struct {
	// Changes selects sequence, at, type, id, import, first, last and mark after a
	// sequence number, at most so many, in their order.
	Changes string
	// DropOldReceipts deletes the receipts older than an instant.
	DropOldReceipts string
	// DropReceipts deletes the receipts whose answer holds an id.
	DropReceipts string
	// Imports selects all columns of imports but the residue, newest first.
	Imports string
}

// Journal reads the history of an owner's records: a [store.Journal].
type Journal struct {
	tx  Tx
	sql *JournalSQL
}

// NewJournal returns the journal of the owner of a transaction.
func NewJournal(tx Tx, sql *JournalSQL) Journal { return Journal{tx, sql} }

// JournalKeeper writes the journal.
type JournalKeeper struct {
	tx  WriteTx
	sql *JournalSQL
}

// NewJournalKeeper returns the keeper of the journal of an Update's owner.
func NewJournalKeeper(tx WriteTx, sql *JournalSQL) JournalKeeper { return JournalKeeper{tx, sql} }

// Table receipts: answers to requests that carried an idempotency key.
//
//	owner, key  key
//	request     digest of the request
//	answer      what was answered
//	at          when; index receipts_at finds those that are old

// Receipt looks a key up. It does not find a receipt that was changed outside of the store.
func (j Journal) Receipt(key string) (store.Receipt, error) {
	row, err := j.tx.Find("receipts", key)
	if err == nil && !(Genuine(j.tx, "receipts", row) && receiptsTable.Holds(row.Values)) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Receipt{}, err
	}
	r := store.Receipt{Key: key}
	r.Request, _ = row.Values[1].(string)
	r.Answer, _ = row.Values[2].([]byte)
	at, _ := row.Values[3].(int64)
	r.At = Instant(at)
	return r, nil
}

var receiptsTable = Named("receipts")

// SetReceipt stores a receipt and drops receipts that are too old.
func (j JournalKeeper) SetReceipt(r store.Receipt, keep time.Duration) error {
	if err := j.tx.Enrol(); err != nil {
		return err
	}
	if err := j.tx.Drop(j.sql.DropOldReceipts, Micros(r.At.Add(-keep))); err != nil {
		return err
	}
	return j.tx.Set("receipts", r.Key, r.Request, r.Answer, Micros(r.At))
}

// DropReceipts drops the receipts whose answer holds an id.
func (j JournalKeeper) DropReceipts(id memory.ID) error {
	j.tx.OwnerRow().Leave()
	return j.tx.Drop(j.sql.DropReceipts, string(id))
}
