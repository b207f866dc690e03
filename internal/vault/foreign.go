package vault

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// A foreign record belongs to another owner than the rows it lies among. An import
// brings it in when its owner signed it and shared or published it. It stays as its
// owner signed it: this owner's side reads it, nobody revises it, nothing here signs
// it, and a format that cannot carry it whole leaves it out. The owner may forget it
// here, which says nothing to anybody else.

// Foreign reports whether a record belongs to another owner than owner.
func Foreign(rec memory.Record, owner memory.DID) bool { return rec.Scope.Owner != owner }

// MayBeHeld reports whether others than its owner may keep a record.
func MayBeHeld(rec memory.Record) bool { return Visibility(rec).WiderThan(memory.Private) }

// anothersRecord is why a foreign record stays behind where everything is the owner's.
const anothersRecord = "another owner's"

// earlierEdition is why a foreign record stays behind where only UMP 1.0 is emitted.
const earlierEdition = "another owner's, signed as UMP 0.1: only its owner can sign it as 1.0, which this store emits"

// signer returns the key with which forms of a record among owner's are signed; nil
// where it is not held here, and always for a foreign record.
func (v *Vault) signer(rec memory.Record, owner memory.DID) *keys.Private {
	if Foreign(rec, owner) {
		return nil
	}
	return v.holder(owner)
}

// key is signer for those who come through the gate.
func (g Gate) key(rec memory.Record) *keys.Private { return g.vault.signer(rec, g.Caller.Owner) }

// OfAnother reports whether a row and a record belong to different owners. A damaged
// row says nothing of that.
func OfAnother(row store.Row, rec memory.Record) bool {
	owner := ownerOf(row)
	return owner != "" && owner != rec.Scope.Owner
}

// foreigner readies a record of another owner: one that its owner signed and lets others
// have. Nothing is filled in.
func (p *Preparer) foreigner(op string, rec memory.Record) (Prepared, error) {
	switch {
	case rec.Integrity == nil:
		return Prepared{}, another(op, rec.ID, "import --adopt OWNER takes over unsigned ones, init --recover makes a store of that owner")
	case !MayBeHeld(rec):
		return Prepared{}, another(op, rec.ID, "it is private, and only what its owner shared or published can be kept here as that owner's")
	}
	if err := coherent(op, rec); err != nil {
		return Prepared{}, err
	}
	if !redactsProvenance(rec) {
		if err := ump.CheckLevel2(rec); err != nil {
			return Prepared{}, err
		}
	}
	return p.Vault.signed(rec, memory.Draft{Record: rec, Complete: true}, p.document)
}

// errForeign refuses to change a record of another owner.
func errForeign(op string, rec memory.Record) error {
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, ID: rec.ID, Path: "/id", Rule: "UMP-2.8-3",
		Message: "the record belongs to another owner, who alone can revise it; to say something else, remember a record of your own"}
}
