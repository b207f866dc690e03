package postgres

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table owners: one row per owner, made by the first write. An Update locks and reads
// it when it begins and writes it once when it ends. Beside the columns of every
// store it has:
//
//	enrolled  when the row was made; it orders the owners and is not sealed
var ownersTable = tableOf(stored.OwnersTable)

// ownerID identifies an owner in every table.
type ownerID [16]byte

// idOf returns the id of an owner: the beginning of the SHA-256 of the DID.
func idOf(did memory.DID) ownerID {
	d := sha256.Sum256([]byte(did))
	return ownerID(d[:16])
}

// String returns the id in the form of app.owner.
func (id ownerID) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ownerOf reads a row of ownersTable.
func ownerOf(raw [][]byte) (o stored.Owner, err error) {
	r, err := ownersTable.values(raw)
	if err == nil {
		o.Read(r.Values, r.Seal)
	}
	return o, err
}

// checkOwner fails if the row belongs to another DID with the same id, which cannot
// be brought about on purpose, or if the row was changed.
func checkOwner(o stored.Owner, did memory.DID) error {
	if o.Known && o.DID != string(did) {
		return refusal("read", store.ErrAltered, "the owner's row was changed outside of satchel; run satchel doctor")
	}
	return nil
}

var (
	insertOwner = `INSERT INTO owners (owner, enrolled, ` + ownersTable.list + `) VALUES ($1, ` + marks(2, len(ownersTable.Columns)+2) +
		`) ON CONFLICT DO NOTHING`
	updateOwner = `UPDATE owners SET ` + sets(ownersTable.Columns[1:]) + ` WHERE owner = $1`
)
