package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// DeniedSpace holds the records that the owner erased and no import may restore
// (decision AD-29). The key is a keyed mark of a record's id or a chunk's URN, which
// reveals nothing. Without a secret of the owner there are no marks.
const DeniedSpace = "aimem.denied"

// deny puts names on the deny list.
func (j *journal) deny(w store.Writer, owner memory.DID, names ...string) error {
	l := j.ledger(owner)
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
func (j *journal) isDenied(r store.Reader, owner memory.DID, names ...string) (bool, error) {
	ledgers, err := j.denyLedgers(r, owner)
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
func (j *journal) allow(w store.Writer, owner memory.DID, names ...string) error {
	ledgers, err := j.denyLedgers(w, owner)
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

// denyRow keeps an erased record from coming back, under any name that documents give
// it.
func (j *journal) denyRow(w store.Writer, owner memory.DID, r store.Row) error {
	rec, err := Decoded(r)
	if err != nil {
		rec = memory.Record{ID: r.ID} // damaged: only its id is known
	}
	names := j.namesOf(owner, rec)
	names = append(names, partNames(names, rec)...)
	return j.deny(w, owner, append(names, ImportNames(rec)...)...)
}

// partNames lists the names of the further chunks of a long text in documents.
func partNames(names []string, rec memory.Record) []string {
	var all []string
	for n := 2; (n-1)*aimem.MaxContent < utf8.RuneCountInString(rec.Body.Text); n++ {
		for _, name := range names {
			all = append(all, string(aimem.URN(name).Part(n)))
		}
	}
	return all
}

// namesOf lists the names of a record in documents: its id, its URN here, and its
// original URN.
func (j *journal) namesOf(owner memory.DID, rec memory.Record) []string {
	m := j.takes(owner)
	names := []string{string(rec.ID), string(m.URN(rec.ID))}
	for _, urn := range aimem.Sources(rec) {
		names = append(names, string(urn), string(m.Alias(urn)))
	}
	return names
}

// originNames lists the names in OriginSpace that may lead to a record.
func (j *journal) originNames(owner memory.DID, rec memory.Record) []string {
	m := j.takes(owner)
	first, _ := m.StoredPart(rec, 1)
	var names []string
	for _, urn := range []aimem.URN{aimem.OriginURN(first.Value), m.Origin(rec)} {
		if urn != "" {
			names = append(names, OriginName(urn, first.Hash))
		}
	}
	return names
}

// DeniedKeySpace holds earlier keys of the deny list, from before the owner, or the home
// owner who marks for the owner, changed keys. Key holds marks of the earlier and the
// next key; Data is the earlier key under a pad that the next one gives.
const DeniedKeySpace = "aimem.denied.key"

// CarriedKey returns the attachment by which the holder of next can read a deny list
// marked with old. It is the same every time.
func CarriedKey(old, next []byte) store.Attachment {
	key := keyMark(old) + " " + keyMark(next)
	return store.Attachment{Space: DeniedKeySpace, Key: key, Data: padded(next, key, old)}
}

// CarriedIn is the inverse of CarriedKey. It is nil for an attachment for another key
// than next.
func CarriedIn(a store.Attachment, next []byte) []byte {
	if _, to, _ := strings.Cut(a.Key, " "); to != keyMark(next) || len(a.Data) != sha256.Size {
		return nil
	}
	return padded(next, a.Key, a.Data)
}

func keyMark(secret []byte) string { return audit.Log{Secret: secret}.Mark("deny list") }

// padded encrypts or decrypts a secret. No two secrets have the same pad.
func padded(by []byte, key string, secret []byte) []byte {
	h := hmac.New(sha256.New, by)
	h.Write([]byte("satchel deny list, key of an earlier one, v1\x00" + key))
	pad := h.Sum(nil)
	if subtle.XORBytes(pad, pad, secret) != len(pad) {
		return nil
	}
	return pad
}

// denyMarks returns the possible marks of a name on the deny list: the present one
// first, then those under earlier keys.
func denyMarks(ledgers []audit.Log, name string) []string {
	var all []string
	for _, l := range ledgers {
		if mark := l.Mark(name); mark != "" {
			all = append(all, mark)
		}
	}
	return all
}

// denyLedgers returns the logs whose keys mark names on the deny list.
func (j *journal) denyLedgers(r store.Reader, owner memory.DID) ([]audit.Log, error) {
	now := j.ledger(owner)
	all := []audit.Log{now}
	if len(now.Secret) == 0 {
		return nil, nil
	}
	carried, err := r.Attachments(store.AttachmentFilter{Space: DeniedKeySpace}, 0, importBatch)
	for _, a := range carried {
		if secret := CarriedIn(a, now.Secret); secret != nil {
			all = append(all, audit.Log{Owner: owner, Secret: secret})
		}
	}
	return all, err
}

// CarryDenialsOf lets the holder of next read the deny list that was marked with old.
func CarryDenialsOf(w store.Writer, old, next []byte) error {
	some, err := Denying(w)
	if err != nil || !some {
		return err
	}
	list := []store.Attachment{CarriedKey(old, next)}
	carried, err := w.Attachments(store.AttachmentFilter{Space: DeniedKeySpace}, 0, importBatch)
	if err != nil {
		return err
	}
	for _, a := range carried {
		if secret := CarriedIn(a, old); secret != nil {
			list = append(list, CarriedKey(secret, next))
		}
	}
	_, err = w.AttachAll(list)
	return err
}

// MarkingPurpose is the purpose of the home owner's secret that marks for an owner whose
// key is not kept here.
func MarkingPurpose(owner memory.DID) string { return "satchel audit log of " + string(owner) }
