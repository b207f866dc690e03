package vault

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Two folders of notes may have the same name, and so may two notes in them. A note's
// name together with the folder's place identifies it. The import keeps the place, and a
// thing has one more name for each place it was imported from. If the place of either
// import is unknown, equal names mean the same thing.

// placeMember is the member of an import's residue with the document's place.
const placeMember = "satchel_place"

// besideElse says why a record has not superseded another of the same name.
const besideElse = "something of the same name came from elsewhere before; both are kept"

// placed is the residue of an import from a place.
func placed(place string) []byte {
	if place == "" {
		return nil
	}
	return canon.Object(canon.Member{Name: placeMember, Value: canon.String(place)}).Append(nil)
}

// withoutWords is the residue of an import without the document's content.
func withoutWords(residue []byte) []byte { return placed(placeIn(residue)) }

func placeIn(residue []byte) string {
	if len(residue) == 0 {
		return ""
	}
	v, err := canon.Parse(residue, canon.Options{Bytes: int64(len(residue)), Inexact: true})
	if err != nil {
		return "" // an envelope of another edition
	}
	return v.Get(placeMember).Text()
}

// placeOf returns the place of an import's document; empty: unknown.
func placeOf(r store.Reader, number int64) (string, error) {
	if number <= 0 {
		return "", nil
	}
	i, err := r.Import(number)
	if err != nil {
		return "", NotFoundIsNone(err)
	}
	return placeIn(i.Residue), nil
}

// at is the name of the thing in one place.
func (n ForeignName) at(place string) string { return n.Name + "\x00" + place }

// lookUp finds the record of a thing, from a place if one is known; elsewhere reports
// that the record came from another place.
func (n ForeignName) lookUp(r store.Reader, place string, imp int64) (id memory.ID, elsewhere bool, err error) {
	if place != "" {
		id, err = r.Alias(n.Space, n.at(place))
		if !errors.Is(err, store.ErrNotFound) {
			return id, false, err
		}
	}
	id, err = r.Alias(n.Space, n.Name)
	if err != nil || place == "" {
		return id, false, err
	}
	elsewhere, err = cameFrom(r, id, place, imp)
	return id, elsewhere, err
}

// cameFrom reports whether a record was imported from another place, as far as is known.
func cameFrom(r store.Reader, id memory.ID, place string, imp int64) (elsewhere bool, err error) {
	row, err := holder(r, id, imp)
	if err != nil {
		return false, NotFoundIsNone(err)
	}
	where, err := placeOf(r, row.Columns.Import)
	return where != "" && where != place, err
}

// call gives a thing its names. The name without a place stays with a record from
// elsewhere.
func (n ForeignName) call(w store.Writer, place string) error {
	if place == "" {
		return w.SetAlias(n.Space, n.Name, n.ID)
	}
	elsewhere := false
	was, err := w.Alias(n.Space, n.Name)
	if err == nil {
		elsewhere, err = cameFrom(w, was, place, 0)
	}
	if err = NotFoundIsNone(err); err != nil {
		return err
	}
	if err := w.SetAlias(n.Space, n.at(place), n.ID); err != nil || elsewhere {
		return err
	}
	return w.SetAlias(n.Space, n.Name, n.ID)
}

// openAgain allows later documents to be imported again after an undo: records they
// shared with the undone import counted as known then, and are gone now. It returns the
// names of their imports.
func openAgain(w store.Writer, gone store.Import) (names []string, err error) {
	all, err := w.Imports()
	for _, i := range all {
		if err != nil {
			return nil, err
		}
		whole := i.State == store.Published && i.Number > gone.Number && i.Digest != ""
		part := i.State == store.Partial && !i.Lease.IsZero() && i.Number != gone.Number
		if i.Merged == 0 || !whole && !part {
			continue
		}
		if i, err = w.Import(i.Number); err != nil {
			return nil, err
		}
		if part {
			i.Units = 0
		} else {
			i.Digest = ""
		}
		_, err = w.SetImport(i)
		names = append(names, fmt.Sprintf("%d (%s)", i.Number, strings.ToValidUTF8(i.Name, "")))
	}
	return names, err
}

// A foreign record belongs to another owner than the rows around it. An import may bring
// it if its owner signed it and shared or published it. It stays as its owner signed it:
// this owner's side reads it, nobody revises it, nothing here signs it, and a format
// that cannot carry it whole leaves it out. The owner may forget it here; others learn
// nothing of that.

// Foreign reports whether a record belongs to another owner than owner.
func Foreign(rec memory.Record, owner memory.DID) bool { return rec.Scope.Owner != owner }

// MayBeHeld reports whether others than its owner may keep a record.
func MayBeHeld(rec memory.Record) bool { return Visibility(rec).WiderThan(memory.Private) }

// anothersRecord is the reason to omit a foreign record where everything must be the
// owner's.
const anothersRecord = "another owner's"

// earlierEdition is the reason to omit a foreign record where only UMP 1.0 is emitted.
const earlierEdition = "another owner's, signed as UMP 0.1: only its owner can sign it as 1.0, which this store emits"

// signer returns the key that signs forms of a record among owner's; nil where it is not
// held here, and always for a foreign record.
func (k *keyring) signer(rec memory.Record, owner memory.DID) *keys.Private {
	if Foreign(rec, owner) {
		return nil
	}
	return k.holder(owner)
}

// key is signer for a record that passed the gate.
func (g Gate) key(rec memory.Record) *keys.Private { return g.vault.signer(rec, g.Caller.Owner) }

// OfAnother reports whether a row and a record belong to different owners; false for a
// damaged row.
func OfAnother(row store.Row, rec memory.Record) bool {
	owner := ownerOf(row)
	return owner != "" && owner != rec.Scope.Owner
}

// foreigner prepares a record of another owner, who signed it and shares it. It fills
// nothing in.
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
