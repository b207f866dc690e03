package sqlite

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table receipts: answers to requests that carried an idempotency key.
//
//	owner, key  key
//	request     digest of the request
//	answer      what was answered
//	at          when; index receipts_at finds those that are old

// Receipt looks a key up.
func (s *session) Receipt(key string) (store.Receipt, error) {
	r := store.Receipt{Key: key}
	var at int64
	err := s.first(`SELECT request, answer, at FROM receipts WHERE owner = ? AND key = ?`,
		[]any{s.owner.number, key}, &r.Request, &r.Answer, &at)
	if err != nil {
		return store.Receipt{}, err
	}
	r.At = instant(at)
	return r, nil
}

// SetReceipt files a receipt and drops those that are too old.
func (w *writer) SetReceipt(r store.Receipt, keep time.Duration) error {
	if err := w.enrol(); err != nil {
		return err
	}
	_, err := w.exec(deleteReceipts, w.owner.number, micros(r.At.Add(-keep)))
	if err != nil {
		return err
	}
	_, err = w.exec(`INSERT INTO receipts (owner, key, request, answer, at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET request = excluded.request, answer = excluded.answer, at = excluded.at`,
		w.owner.number, r.Key, r.Request, r.Answer, micros(r.At))
	return err
}

const deleteReceipts = `DELETE FROM receipts WHERE owner = ? AND at < ?`

// DropReceipts drops receipts by what they answered.
func (w *writer) DropReceipts(id memory.ID) error {
	w.leave()
	_, err := w.exec(`DELETE FROM receipts WHERE owner = ? AND instr(answer, CAST(? AS BLOB)) > 0`, w.owner.number, string(id))
	return err
}
