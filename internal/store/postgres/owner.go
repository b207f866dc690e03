package postgres

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table owners: one row per owner, made by the first write. An Update locks and reads
// it when it begins and writes it once when it ends. Beside the columns that every
// store has:
//
//	enrolled  when the row was made; it orders the owners and is not sealed
var ownersTable = newTable(stored.OwnersTable)

// ownerID is how an owner is known in every table.
type ownerID [16]byte

// idOf returns the id of an owner: the beginning of the SHA-256 of the DID.
func idOf(did memory.DID) ownerID {
	d := sha256.Sum256([]byte(did))
	return ownerID(d[:16])
}

// String returns the id as it stands in app.owner.
func (id ownerID) String() string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// owner is the row of an owner.
type owner struct {
	known        bool // there is one
	did          string
	numbered     int64 // the last document number given
	imported     int64 // the last import number given
	attached     int64 // the last attachment number given
	sequence     int64 // the last change number given
	began        int64 // the change number after which the feed begins
	entries      int64 // of the audit log
	hashes       int64 // of the audit log
	documents    int64 // that are indexed, staged ones included
	length       int64 // of these together
	records      int64 // staged ones included
	bytes        int64 // of their origin and current, the data of attachments and the documents of agents and states together
	erased       int64 // how many Updates have let content leave
	cleaned      int64 // how many of these a scrub has cleaned the files of
	added        int64 // when the operator let the owner in
	quotaRecords int64
	quotaBytes   int64
	revoked      []byte // see [stored.Revoked]
	moved        string // see [store.Trust]
	label        string
	account      []byte // the sealed key; nil: none
	total        stored.Sum
	secret       []byte         // tells the secret apart that seals were last made with
	seal         []byte         // of the row as it was read
	heir         *stored.Sealer // for writers: whose seal it gets; nil: it keeps that one
}

// values are the columns of the row in the order of package stored.
func (o *owner) values() []any {
	return []any{o.did, o.numbered, o.imported, o.attached, o.sequence, o.began, o.entries, o.hashes, o.documents, o.length, o.records,
		o.bytes, o.erased, o.cleaned, o.added, o.quotaRecords, o.quotaBytes, o.revoked, o.moved, o.label, o.account,
		o.total.Bytes(), o.secret}
}

// read fills the owner in from a row of ownersTable.
func (o *owner) read(raw [][]byte) error {
	values, seal, err := ownersTable.values(raw)
	if err != nil {
		return err
	}
	o.fill(values, seal)
	return nil
}

// fill fills the owner in from the values of the row and its seal.
func (o *owner) fill(values []any, seal []byte) {
	var total []byte
	for i, into := range []any{&o.did, &o.numbered, &o.imported, &o.attached, &o.sequence, &o.began, &o.entries, &o.hashes, &o.documents,
		&o.length, &o.records, &o.bytes, &o.erased, &o.cleaned, &o.added, &o.quotaRecords, &o.quotaBytes, &o.revoked,
		&o.moved, &o.label, &o.account, &total, &o.secret} {
		switch into := into.(type) {
		case *string:
			*into, _ = values[i].(string)
		case *int64:
			*into, _ = values[i].(int64)
		case *[]byte:
			*into, _ = values[i].([]byte)
		}
	}
	o.known, o.total, o.seal = true, stored.ParseSum(total), seal
}

// check fails when the row is of another DID with the same id, which nobody can
// bring about, or when somebody changed it.
func (o *owner) check(did memory.DID) error {
	if o.known && o.did != string(did) {
		return refusal("read", store.ErrAltered, "the owner's row was changed outside of satchel; run satchel doctor")
	}
	return nil
}

var (
	insertOwner = `INSERT INTO owners (owner, enrolled, ` + ownersTable.list + `) VALUES ($1, ` + marks(2, len(ownersTable.Columns)+2) +
		`) ON CONFLICT DO NOTHING`
	updateOwner = `UPDATE owners SET ` + sets(ownersTable.Columns[1:]) + ` WHERE owner = $1`
)
