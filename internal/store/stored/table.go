package stored

import (
	"slices"
	"sync"
)

// Table is a table that every store has. A seal covers its columns in this order, without
// the owner and the seal itself. Each store chooses how it keeps an owner, and how it makes
// a key of owner and columns. The number of a document or an import is the owner's own,
// from 1.
type Table struct {
	Name    string
	Columns []Column
	Key     int  // beside the owner, this many first columns are the key
	Private bool // the key may repeat a memory's content: do not show it
}

// Column is a column of a table.
type Column struct {
	Name string
	Type Type
	Open bool // may be NULL
}

// Type is what a column holds.
type Type int

// The types of columns.
const (
	Number Type = iota // an int64
	Word               // a term of satchel's own, such as a kind
	Text               // a string from outside, of any bytes
	Blob               // bytes
)

// OwnersTable is the name of the table that has one row for each owner: the
// counters, the account, and in total the sum of the seals of all other rows.
const OwnersTable = "owners"

// AttachmentBase is added to the numbers of attachments for their runs in table staged. No
// document has such a number, so the runs of both stay apart.
const AttachmentBase = 1 << 40

// Tables returns all sealed tables: all except those of the index, whose content follows
// from the column words of the records. Owners come first.
func Tables() []Table { return slices.Clone(tables()) }

var tables = sync.OnceValue(func() []Table {
	return []Table{
		{Name: OwnersTable, Columns: columns("did T numbered imported attached sequence began entries hashes documents length records " +
			"bytes erased cleaned added quota_records quota_bytes revoked B moved T label T account B? total B secret B")},
		{Name: "records", Key: 1, Columns: columns("doc id T kind W status W visibility W project T user T agent T session T created " +
			"valid_from valid_to ? expires ? duplicate T? lineage T? import ? length tokeniser origin B? current B? words B?")},
		{Name: "staged", Key: 1, Columns: columns("first last import rows")},
		{Name: "relations", Key: 2, Private: true, Columns: columns("target T doc")},
		{Name: "aliases", Key: 2, Private: true, Columns: columns("space T alias T doc")},
		{Name: "project_aliases", Key: 1, Private: true, Columns: columns("alias T project T")},
		{Name: "attachments", Key: 1, Columns: columns("doc space T key T source ? target ? import ? data B?")},
		{Name: "changes", Key: 1, Columns: columns("sequence at type W id T import first last mark T")},
		{Name: "receipts", Key: 1, Private: true, Columns: columns("key T request T answer B? at")},
		{Name: "imports", Key: 1, Columns: columns("doc digest T format T name T at state W lease created merged units residue B?")},
		{Name: "lessons", Key: 1, Columns: columns("doc followed overridden ignored contradicted at")},
		{Name: "grants", Key: 1, Columns: columns("id T claims B? name T issued expires ? revoked ?")},
		{Name: "agents", Key: 2, Private: true, Columns: columns("id T revision digest W came W version T name T status T signer T received document B")},
		{Name: "states", Key: 1, Private: true, Columns: columns("id T agent T run T status T source T checkpoint received departed bound T address T document B")},
		{Name: "spent", Key: 2, Private: true, Columns: columns("issuer T jti T until")},
		{Name: "runs", Key: 1, Private: true, Columns: columns("id T agent T revision status T fence holder T until wake lineage W sealed events began changed due ? queue T slots")},
		{Name: "run_events", Key: 2, Private: true, Columns: columns("run T number at document B")},
		{Name: "sessions", Key: 1, Private: true, Columns: columns("digest W use W code W made seen ends label T")},
		{Name: "readings", Key: 2, Private: true, Columns: columns("at nonce way W host T project T token T times given docs W question T")},
		{Name: "audit", Key: 1, Columns: columns("place entry B")},
		{Name: "audit_hashes", Key: 1, Columns: columns("place hash B")},
		{Name: "audit_heads", Columns: columns("head B")},
	}
})
