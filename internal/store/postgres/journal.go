package postgres

import "github.com/satchel-memory/satchel/internal/store/stored"

var (
	changesTable  = tableOf("changes")
	receiptsTable = tableOf("receipts")
)

var journalSQL = &stored.JournalSQL{
	Changes: selectChanges, DropOldReceipts: deleteReceipts, DropReceipts: deleteAnswers, Imports: selectImports,
}

const (
	selectChanges = `SELECT sequence, at, type, id, import, first, last, mark FROM changes
	WHERE owner = $1 AND sequence > $2 AND type <> 'emptied' ORDER BY sequence LIMIT $3`

	deleteReceipts = `DELETE FROM receipts WHERE owner = $1 AND at < $2 RETURNING seal`
	deleteAnswers  = `DELETE FROM receipts WHERE owner = $1 AND position($2::bytea IN answer) > 0 RETURNING seal`

	selectImports = `SELECT doc, digest, format, name, at, state, lease, created, merged, units FROM imports WHERE owner = $1 ORDER BY doc DESC`
)

// The role of the programs may not change the lists of the audit log.
var auditSQL = &stored.AuditSQL{Entries: selectEntries, Head: selectHead, Hashes: eachHash}

const (
	selectEntries = `SELECT place, entry FROM audit WHERE owner = $1 AND place >= $2 ORDER BY place LIMIT $3`
	selectHead    = `SELECT head FROM audit_heads WHERE owner = $1`
	selectHashes  = `SELECT place, hash FROM audit_hashes WHERE owner = $1 AND place = ANY ($2)`
)

// eachHash reads hashes in one round trip.
func eachHash(tx stored.Tx, places []int64, scan func(stored.Scanner) error) error {
	return tx.Query(selectHashes, []any{places}, scan)
}
