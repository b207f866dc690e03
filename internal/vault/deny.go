package vault

import (
	"errors"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// DeniedSpace holds what the owner erased and no import brings back (decision
// AD-29): the key is a keyed mark of a record's id or of a chunk's URN, which tells
// nobody what was there. Without a secret of the owner's there are no marks.
const DeniedSpace = "aimem.denied"

// deny puts names on the deny list.
func (v *Vault) deny(w store.Writer, owner memory.DID, names ...string) error {
	l := v.ledger(owner)
	for _, name := range names {
		mark := l.Mark(name)
		if mark == "" {
			return nil
		}
		_, err := store.Attach(w, store.Attachment{Space: DeniedSpace, Key: mark})
		if err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
	}
	return nil
}

// isDenied reports whether one of the names is on the deny list.
func (v *Vault) isDenied(r store.Reader, owner memory.DID, names ...string) (bool, error) {
	ledgers, err := v.denyLedgers(r, owner)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		for _, mark := range denyMarks(ledgers, name) {
			_, err := r.Attached(DeniedSpace, mark, 0)
			if !errors.Is(err, store.ErrNotFound) {
				return err == nil, err
			}
		}
	}
	return false, nil
}

// allow takes names from the deny list.
func (v *Vault) allow(w store.Writer, owner memory.DID, names ...string) error {
	ledgers, err := v.denyLedgers(w, owner)
	if err != nil || len(names) == 0 {
		return err
	}
	for _, name := range names {
		for _, mark := range denyMarks(ledgers, name) {
			if err := w.Detach(DeniedSpace, mark); err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

// Denying reports whether anything is on the deny list.
func Denying(r store.Reader) (bool, error) {
	some, err := r.Attachments(store.AttachmentFilter{Space: DeniedSpace}, 0, 1)
	return len(some) > 0, err
}

// denyRow keeps a record that is erased from coming back, under whichever name a
// document knows it by.
func (v *Vault) denyRow(w store.Writer, owner memory.DID, r store.Row) error {
	rec, err := Decoded(r)
	if err != nil {
		rec = memory.Record{ID: r.ID} // damaged: its id is all that is known
	}
	names := v.namesOf(owner, rec)
	names = append(names, partNames(names, rec)...)
	return v.deny(w, owner, append(names, ImportNames(rec)...)...)
}

// partNames lists what documents call the further chunks that a long text leaves as.
func partNames(names []string, rec memory.Record) []string {
	var all []string
	for n := 2; (n-1)*aimem.MaxContent < utf8.RuneCountInString(rec.Body.Text); n++ {
		for _, name := range names {
			all = append(all, string(aimem.URN(name).Part(n)))
		}
	}
	return all
}

// namesOf lists what documents call a record: its id, its URN here, and the one it
// came with.
func (v *Vault) namesOf(owner memory.DID, rec memory.Record) []string {
	m := v.takes(owner)
	names := []string{string(rec.ID), string(m.URN(rec.ID))}
	for _, urn := range aimem.Sources(rec) {
		names = append(names, string(urn), string(m.Alias(urn)))
	}
	return names
}

// originNames lists the names in originSpace that may lead to a record.
func (v *Vault) originNames(owner memory.DID, rec memory.Record) []string {
	m := v.takes(owner)
	first, _ := m.StoredPart(rec, 1)
	var names []string
	for _, urn := range []aimem.URN{aimem.OriginURN(first.Value), m.Origin(rec)} {
		if urn != "" {
			names = append(names, OriginName(urn, first.Hash))
		}
	}
	return names
}
