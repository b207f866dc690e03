package sqlite

import (
	"context"
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table owners: one row per owner, made by the first write.
//
//	owner      small number, from 1
//	did        the owner's DID
//	numbered   the last document number given
//	imported   the last import number given
//	attached   the last attachment number given
//	sequence   the last change number given
//	began      the change number after which the feed begins
//	entries    how many entries the audit log has
//	hashes     how many hashes
//	documents  how many documents are indexed, staged ones included
//	length     the sum of their lengths
//	records    how many rows there are in table records
//	bytes      how long their columns origin and current, the data of attachments, and the documents of agents and states
//	           are together
//	erased     how many Updates have let content leave
//	cleaned    how many of these a Compact has cleaned the files of, see scrub_debt.go
//	added      when the operator added the owner; the zero time: the operator did not
//	quota_…    how many records and bytes the owner may have, 0: any number
//	revoked    digest of the revoked grants, see [stored.RevokedDigest]
//	moved      how far the owner's move to another store is, see [store.Trust]
//	label      the operator's name for the owner
//	account    the owner's key, sealed; NULL: it is held elsewhere
//	total      the sum of the seals of the owner's rows in the other tables
//	secret     identifies the secret of the latest seals
//
// An Update reads the row when it starts and writes it once when it ends.
var ownersTable = tableOf("owners")

type owner struct {
	stored.Owner
	number int64 // 0: there is no row
}

// key returns the key of a row in the file: the number of the owner in the upper 23
// bits, that of the row in the lower 40. Rows of an owner thus lie together, in the
// order in which they were added.
func (o *owner) key(number int64) int64 { return o.number<<40 | number }

// keys returns the keys of rows.
func (o *owner) keys(numbers []int64) []int64 {
	keys := make([]int64, len(numbers))
	for i, n := range numbers {
		keys[i] = o.key(n)
	}
	return keys
}

// number returns the row's number in a key.
func number(key int64) int64 { return key & (1<<40 - 1) }

// fields returns the scan targets of selectOwner.
func (o *owner) fields() []any {
	fields := o.Fields()
	fields[0] = &o.number
	return append(fields, &o.Seal)
}

// writer begins an Update of an owner.
func (k *committer) writer(ctx context.Context, c *conn, did memory.DID) *writer {
	s := k.seals[did]
	if s == nil {
		s = k.sealer(did)
	}
	if s.Keyed { // else the secret may come to hand later
		k.seals[did] = s
	}
	return newWriter(&ownerTx{known: known{did: did}, c: c, ctx: ctx, sealer: func() *stored.Sealer { return s }, writes: true}, s)
}

func listOwners(c *conn) ([]memory.DID, error) {
	var dids []memory.DID
	err := c.each(`SELECT did FROM owners ORDER BY owner`, nil, func(rows *sql.Rows) error {
		var did memory.DID
		err := rows.Scan(&did)
		dids = append(dids, did)
		return err
	})
	return dids, translate("read", err)
}
