package postgres

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Size returns the owner's counters.
func (s *session) Size() (documents, length int64, err error) {
	return s.owner.documents, s.owner.length, s.ready()
}

// Usage returns the owner's counters.
func (s *session) Usage() (records, bytes int64, err error) {
	return s.owner.records, s.owner.bytes, s.ready()
}

// Account returns what the owner's row says.
func (s *session) Account() (store.Account, error) {
	o := &s.owner
	if !o.known {
		return store.Account{}, s.ready()
	}
	a := store.Account{
		Key: someBytes(o.account), Label: o.label,
		Quota: store.Quota{Records: o.quotaRecords, Bytes: o.quotaBytes},
	}
	if at := stored.Instant(o.added); at.After(time.Time{}) {
		a.Added = at
	}
	return a, s.ready()
}

// SetAccount changes it when the Update ends.
func (w *writer) SetAccount(a store.Account) error {
	if err := w.enrol(); err != nil {
		return err
	}
	o := &w.owner
	o.account, o.label, o.added = someBytes(a.Key), a.Label, stored.Micros(a.Added)
	o.quotaRecords, o.quotaBytes, w.dirty = a.Quota.Records, a.Quota.Bytes, true
	return nil
}

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
