package stored

import "github.com/satchel-memory/satchel/internal/store"

// Standing reads the owner's row.
type Standing struct{ tx Tx }

// NewStanding returns the standing of the owner of a transaction.
func NewStanding(tx Tx) Standing { return Standing{tx} }

// Size returns the owner's counters of the index.
func (s Standing) Size() (documents, length int64, err error) {
	o := s.tx.OwnerRow()
	return o.Documents, o.Length, s.tx.Ready()
}

// Sum returns the sum of the seals of all rows but the owner's.
func (s Standing) Sum() (store.Sum, error) {
	return store.Sum(s.tx.OwnerRow().Total.Bytes()), s.tx.Ready()
}

// Usage returns the owner's counters of stored data.
func (s Standing) Usage() (records, bytes int64, err error) {
	o := s.tx.OwnerRow()
	return o.Records, o.Bytes, s.tx.Ready()
}

// Account returns the owner's account.
func (s Standing) Account() (store.Account, error) { return s.tx.OwnerRow().account(), s.tx.Ready() }

// Moved returns SetMoved's last text.
func (s Standing) Moved() (string, error) { return s.tx.OwnerRow().Moved, s.tx.Ready() }

// StandingChange changes the owner's row. The Update writes the row at its end.
type StandingChange struct{ tx WriteTx }

// NewStandingChange returns the changes of the standing of the owner of a transaction.
func NewStandingChange(tx WriteTx) StandingChange { return StandingChange{tx} }

// SetAccount stores the owner's account.
func (s StandingChange) SetAccount(a store.Account) error {
	if err := s.tx.Enrol(); err != nil {
		return err
	}
	s.tx.OwnerRow().setAccount(a)
	return nil
}

// SetMoved stores how far the owner has moved to another key or store.
func (s StandingChange) SetMoved(how string) error {
	if err := s.tx.Enrol(); err != nil {
		return err
	}
	o := s.tx.OwnerRow()
	o.Moved, o.Changed = how, true
	return nil
}
