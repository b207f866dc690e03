package sqlite

import "github.com/satchel-memory/satchel/internal/store/stored"

var changesTable = tableOf("changes")

var journalSQL = &stored.JournalSQL{
	Changes: selectChanges, DropOldReceipts: deleteReceipts, DropReceipts: deleteAnswers, Imports: selectImports,
}

const (
	selectChanges = `SELECT sequence, at, type, id, import, first, last, mark FROM changes
	WHERE owner = ? AND sequence > ? AND type <> 'emptied' ORDER BY sequence LIMIT ?`

	deleteReceipts = `DELETE FROM receipts WHERE owner = ? AND at < ? RETURNING seal`
	deleteAnswers  = `DELETE FROM receipts WHERE owner = ? AND instr(answer, CAST(? AS BLOB)) > 0 RETURNING seal`

	selectImports = `SELECT doc & 1099511627775, digest, format, name, at, state, lease, created, merged, units FROM imports
	WHERE doc BETWEEN ?1 << 40 AND (?1 << 40 | 1099511627775) ORDER BY doc DESC`
)

var auditSQL = &stored.AuditSQL{Entries: selectEntries, Head: selectHead, Hashes: eachHash}

const (
	selectEntries = `SELECT place, entry FROM audit WHERE owner = ? AND place >= ? ORDER BY place LIMIT ?`
	selectHead    = `SELECT head FROM audit_heads WHERE owner = ?`
)

// eachHash reads hashes, many in one statement.
func eachHash(tx stored.Tx, places []int64, scan func(stored.Scanner) error) error {
	for list := range inLists(places, hashesSize) {
		if err := tx.Query(selectHashes, list, scan); err != nil {
			return err
		}
	}
	return nil
}

// hashesSize is how many hashes one statement reads: a proof takes about as many as
// the number of entries has bits.
const hashesSize = 32

var selectHashes = `SELECT place, hash FROM audit_hashes WHERE owner = ? AND place IN ` + marks(hashesSize)
