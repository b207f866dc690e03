package sqlite

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table receipts: answers to requests that carried an idempotency key.
//
//	owner, key  key
//	request     digest of the request
//	answer      what was answered
//	at          when; index receipts_at finds those that are old
var receiptsTable = newTable("receipts")

// Receipt looks a key up. What somebody else put there counts for nothing.
func (s *session) Receipt(key string) (store.Receipt, error) {
	r := store.Receipt{Key: key}
	var at int64
	genuine, err := s.genuine(receiptsTable, func(into ...any) error {
		return s.first(selectReceipt, []any{s.owner.number, key}, into...)
	}, &r.Request, &r.Answer, &at)
	if err == nil && !genuine {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Receipt{}, err
	}
	r.At = stored.Instant(at)
	return r, nil
}

var selectReceipt = `SELECT ` + receiptsTable.list + `, request, answer, at FROM receipts WHERE owner = ? AND key = ?`

// SetReceipt files a receipt and drops those that are too old.
func (w *writer) SetReceipt(r store.Receipt, keep time.Duration) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if err := w.drop(deleteReceipts, w.owner.number, stored.Micros(r.At.Add(-keep))); err != nil {
		return err
	}
	return w.set(receiptsTable, r.Key, r.Request, r.Answer, stored.Micros(r.At))
}

const deleteReceipts = `DELETE FROM receipts WHERE owner = ? AND at < ? RETURNING seal`

// DropReceipts drops receipts by what they answered.
func (w *writer) DropReceipts(id memory.ID) error {
	w.leave()
	return w.drop(`DELETE FROM receipts WHERE owner = ? AND instr(answer, CAST(? AS BLOB)) > 0 RETURNING seal`,
		w.owner.number, string(id))
}
