package vault

import (
	"errors"
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// record decodes a row and verifies it: hash, signature and signer, and that
// nobody changed the row behind our back, by putting an earlier form back for
// one (UMP-7-7). What it returns is said by the row's JSON alone; the columns
// only served to find it. A record that is not what was stored is of kind
// SignatureInvalid; one that cannot be read at all, Internal.
func (v *verifier) record(r store.Reader, row store.Row) (memory.Record, error) {
	rec, damage, err := v.read(r, row)
	if err == nil {
		err = damage
	}
	return rec, err
}

// read is record for those who go on without a record that is damaged: err says
// that the store could not be asked, and tells nothing of the record.
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

// checked is record for a row of owner's whose seal is checked elsewhere.
func (v *verifier) checked(row store.Row, owner memory.DID) (memory.Record, error) {
	rec, err := Decoded(row)
	if err != nil {
		return memory.Record{}, err
	}
	return rec, v.sound(rec, owner)
}

// alteredOf returns which rows were changed behind our back, by their numbers: those
// whose seals do not fit, those that were erased and put back with the seals that they
// had, and those put back that another version has replaced. Nothing that is read leaves
// without having been asked for here.
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
			continue // which may not have closed yet what it replaces; see reached
		}
		if altered[row.Number], err = v.overtaken(r, row); err != nil {
			return nil, err
		}
	}
	return altered, nil
}

// overtaken reports whether a row that says it is current was replaced: a version closes
// the one before it in the same transaction, so that somebody put this one back. What is
// replaced in another lineage alone is not seen here; the sum of seals tells of it.
func (v *verifier) overtaken(r store.Reader, row store.Row) (bool, error) {
	if !row.Followed {
		return false, nil
	}
	rec, err := Decoded(row)
	if err != nil || len(rec.SupersededBy) > 0 || rec.Lifecycle.Status.Or() == memory.Tombstoned {
		return false, nil // what cannot be decoded is told elsewhere
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

// sound reports a record that its owner did not sign as it stands. A record
// without a signature is sound unless the vault was told that all have one; of an
// owner who alone holds the key, where the engine made it of one that has. A record
// of another owner among owner's has that owner's signature, whatever the vault was told.
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
	case errors.Is(err, ump.ErrUnsigned) && (Foreign(rec, owner) || v.resident(owner).signsAlone()):
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

// vouch takes note of a record that was signed or verified just now.
func (v *verifier) vouch(rec memory.Record) {
	if rec.Integrity != nil {
		v.verified.add(ump.Fingerprint(rec.Form()))
	}
}

// verified remembers which stored forms have been found to be signed by their
// owner, by their fingerprints, so that reading one again costs one hash and a
// look-up. The fingerprint covers hash, signature, signer and owner (decision 1).
// It holds two generations and forgets the older when the younger is full.
type verified struct {
	mu         sync.Mutex
	young, old map[[32]byte]struct{}
}

// generation is how many fingerprints a generation has: 2 MiB or so.
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
