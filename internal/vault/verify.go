package vault

import (
	"errors"
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// record decodes a row and verifies it, see [Kernel.Record].
func (v *verifier) record(r store.Reader, row store.Row) (memory.Record, error) {
	rec, damage, err := v.read(r, row)
	if err == nil {
		err = damage
	}
	return rec, err
}

// read is record for callers that continue without a damaged record, see [Kernel.Read].
func (v *verifier) read(r store.Reader, row store.Row) (rec memory.Record, damage, err error) {
	if rec, damage = v.checked(row, r.Owner()); damage != nil {
		return rec, damage, nil
	}
	altered, err := v.alteredOf(r, []store.Row{row})
	if altered[row.Number] {
		damage = Altered(row)
	}
	return rec, damage, err
}

// checked is record for a row whose seal is checked elsewhere.
func (v *verifier) checked(row store.Row, owner memory.DID) (memory.Record, error) {
	rec, err := Decoded(row)
	if err != nil {
		return memory.Record{}, err
	}
	return rec, v.sound(rec, owner)
}

// checkedAll is checked for several rows, see [Kernel.CheckedAll].
func (v *verifier) checkedAll(rows []store.Row, owner memory.DID) ([]memory.Record, []error) {
	stored := make([][]byte, len(rows))
	for i, row := range rows {
		stored[i] = formOf(row)
	}
	forms := ump.DecodeAll(stored, codec.Options{})
	v.ahead(stored, func(unknown []int) []error { return ump.VerifyForms(selected(forms, unknown)) })
	records, damage := make([]memory.Record, len(rows)), make([]error, len(rows))
	for i, row := range rows {
		if records[i], damage[i] = recordOf(row, forms[i].Record, forms[i].Err); damage[i] == nil {
			damage[i] = v.sound(records[i], owner)
		}
	}
	return records, damage
}

// decoded is [Decoded], and reports whether the form was verified before.
func (v *verifier) decoded(row store.Row) (rec memory.Record, verified bool, err error) {
	if verified = !v.unverified && v.verified.has(ump.Fingerprint(formOf(row))); verified {
		rec, err = decodedBy(ump.DecodeKnown, row)
	} else {
		rec, err = Decoded(row)
	}
	return rec, verified, err
}

// alteredOf returns the rows that were changed outside of satchel, see
// [Kernel.AlteredOf].
func (v *verifier) alteredOf(r store.Reader, rows []store.Row) (map[int64]bool, error) {
	numbers := make([]int64, len(rows))
	for i, row := range rows {
		numbers[i] = row.Number
	}
	found, err := r.Altered(numbers)
	if err != nil {
		return nil, err
	}
	altered := make(map[int64]bool, len(found))
	for _, n := range found {
		altered[n] = true
	}
	for _, row := range rows {
		if row.Erased || altered[row.Number] {
			altered[row.Number] = true
			continue
		}
		if _, writes := r.(store.Writer); writes {
			continue // its transaction may still close the replaced records; see reached
		}
		if altered[row.Number], err = v.overtaken(r, row); err != nil {
			return nil, err
		}
	}
	return altered, nil
}

// overtaken reports whether a row that claims to be current was replaced. A version
// closes its predecessor in the same transaction, so somebody put this row back. It
// misses a replacement in another lineage alone; the sum of seals reveals that.
func (v *verifier) overtaken(r store.Reader, row store.Row) (bool, error) {
	if !row.Followed {
		return false, nil
	}
	rec, err := Decoded(row)
	if err != nil || len(rec.SupersededBy) > 0 || rec.Lifecycle.Status.Or() == memory.Tombstoned {
		return false, nil // other checks report a row that cannot be decoded
	}
	users, err := r.Relating(string(row.ID))
	if err != nil {
		return false, err
	}
	for _, user := range users {
		later, err := r.Row(user)
		if err != nil {
			return false, err
		}
		if later.Columns.Lineage != row.Columns.Lineage || later.Columns.Status != memory.Active || later.Erased || user == row.ID {
			continue
		}
		next, err := v.checked(later, r.Owner())
		if err != nil || !slices.Contains(next.Supersedes, row.ID) || Foreign(next, rec.Scope.Owner) {
			continue
		}
		if altered, err := r.Altered([]int64{later.Number}); err != nil || len(altered) == 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// Altered is the error for a row that was changed outside of satchel.
func Altered(row store.Row) error {
	e := &memory.Error{Kind: memory.SignatureInvalid, Op: "read", ID: row.ID, Rule: "UMP-7-7",
		Message: "the stored record was changed outside of satchel and is not served; satchel doctor says more"}
	if row.Erased {
		e.Message = "the record was erased; its row was put back outside of satchel and is not served; satchel forget --hard erases it again"
	}
	return e
}

// sound reports a record that its owner did not sign as it stands, see [Kernel.Sound].
func (v *verifier) sound(rec memory.Record, owner memory.DID) error {
	if v.unverified {
		return nil
	}
	form := ump.Fingerprint(rec.Form())
	if v.verified.has(form) {
		return nil
	}
	err := ump.Verify(rec.Form())
	switch {
	case err == nil:
		v.verified.add(form)
		return nil
	case errors.Is(err, ump.ErrUnsigned) && (Foreign(rec, owner) || v.accountOf(owner).signsAlone()):
		if err = v.soundUnsigned(rec); err == nil {
			return nil
		}
	case Foreign(rec, owner):
	case !v.allSigned && (errors.Is(err, ump.ErrUnsigned) || errors.Is(err, ump.ErrUnresolvable)):
		return nil
	}
	return &memory.Error{
		Kind: memory.SignatureInvalid, Op: "read", ID: rec.ID, Rule: "UMP-7-7", Err: err,
		Message: "the stored record is not what its owner signed and is not served; satchel doctor says more",
	}
}

// verifyAhead verifies the signatures of several records at once, those that nobody has
// verified before. A record that fails is verified again, and reported, when its turn comes.
func (v *verifier) verifyAhead(records []memory.Record) {
	forms := make([][]byte, len(records))
	for i, rec := range records {
		forms[i] = rec.Form()
	}
	v.ahead(forms, func(unknown []int) []error { return ump.VerifyAll(selected(forms, unknown)) })
}

// ahead lets verify verify those of some forms that nobody has verified before, named by
// their places.
func (v *verifier) ahead(forms [][]byte, verify func(unknown []int) []error) {
	if v.unverified {
		return
	}
	var unknown []int
	var fingerprints [][32]byte
	for i, form := range forms {
		if known := ump.Fingerprint(form); !v.verified.has(known) {
			unknown, fingerprints = append(unknown, i), append(fingerprints, known)
		}
	}
	if len(unknown) < 2 {
		return
	}
	for i, err := range verify(unknown) {
		if err == nil {
			v.verified.add(fingerprints[i])
		}
	}
}

// selected returns the items at some places.
func selected[T any](items []T, places []int) []T {
	out := make([]T, len(places))
	for i, place := range places {
		out[i] = items[place]
	}
	return out
}

// vouch remembers a record that was signed or verified just now.
func (v *verifier) vouch(rec memory.Record) {
	if rec.Integrity != nil {
		v.verified.add(ump.Fingerprint(rec.Form()))
	}
}

// verified remembers the fingerprints of stored forms whose owners' signatures were
// verified. Reading such a form again costs one hash and a look-up. The fingerprint
// covers hash, signature, signer and owner (decision 1). verified holds two
// generations, and drops the older when the younger is full.
type verified struct {
	mu         sync.Mutex
	young, old map[[32]byte]struct{}
}

// generation is how many fingerprints a generation holds, about 2 MiB.
const generation = 1 << 16

// isVerified reports whether a form was verified before, by its [ump.Fingerprint].
func (v *verifier) isVerified(fingerprint [32]byte) bool { return v.verified.has(fingerprint) }

func (c *verified) has(form [32]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[form]; ok {
		return true
	}
	if _, ok := c.old[form]; ok {
		c.put(form)
		return true
	}
	return false
}

func (c *verified) add(form [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(form)
}

func (c *verified) put(form [32]byte) {
	if len(c.young) >= generation || c.young == nil {
		c.old, c.young = c.young, make(map[[32]byte]struct{})
	}
	c.young[form] = struct{}{}
}
