package postgres

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
//	by_key      see short
var receiptsTable = newTable("receipts")

// Receipt looks a key up. What somebody else put there counts for nothing.
func (s *session) Receipt(key string) (store.Receipt, error) {
	values, seal, err := s.whole(receiptsTable, key)
	if err == nil && !s.fits(receiptsTable, values, seal) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Receipt{}, err
	}
	r := store.Receipt{Key: key}
	r.Request, _ = values[1].(string)
	r.Answer, _ = values[2].([]byte)
	at, _ := values[3].(int64)
	r.At = stored.Instant(at)
	return r, nil
}

// SetReceipt files a receipt and drops those that are too old.
func (w *writer) SetReceipt(r store.Receipt, keep time.Duration) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if err := w.drop(deleteReceipts, stored.Micros(r.At.Add(-keep))); err != nil {
		return err
	}
	return w.set(receiptsTable, r.Key, r.Request, r.Answer, stored.Micros(r.At))
}

const deleteReceipts = `DELETE FROM receipts WHERE owner = $1 AND at < $2 RETURNING seal`

// DropReceipts drops receipts by what they answered.
func (w *writer) DropReceipts(id memory.ID) error {
	w.leave()
	return w.drop(`DELETE FROM receipts WHERE owner = $1 AND position($2::bytea IN answer) > 0 RETURNING seal`, id)
}
