package store

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Writer is a Reader that sees its own writes and can make them. It serves one
// goroutine.
type Writer interface {
	Reader
	// Insert adds a row, indexes doc for it and files its links, and returns the
	// document number. It fails with ErrExists when the id is taken.
	Insert(row Row, doc Document, links Links) (int64, error)
	// Replace gives the row with row.ID new JSON, columns and links. The index is
	// left as it is; Reindex changes it.
	Replace(row Row, links Links) error
	// Reindex replaces what is indexed for a document number. Either document
	// may be empty.
	Reindex(number int64, old, new Document) error
	// Delete removes a row, its links and its aliases. What was indexed for it
	// must be given, as Reindex would take it.
	Delete(id memory.ID, indexed Document) error
	// SetAlias lets a foreign id stand for a record.
	SetAlias(space, foreign string, id memory.ID) error
	// SetProjectAlias lets alias stand for project; an empty project ends that.
	SetProjectAlias(alias, project string) error
	// Record appends to the change feed and returns the sequence number.
	Record(c Change) (int64, error)
	// SetReceipt files the answer to an idempotency key; receipts older than
	// keep may be dropped.
	SetReceipt(r Receipt, keep time.Duration) error
	// SetImport files an import: a new one when Number is 0, else a change of
	// that one. It returns the number.
	SetImport(i Import) (int64, error)
	// Publish makes the staged rows of an import visible and returns how many.
	Publish(imp int64) (int, error)
}

// Links are what a record points to; they can be followed backwards.
type Links struct {
	Relations  []memory.Relation
	Supersedes []memory.ID
}
