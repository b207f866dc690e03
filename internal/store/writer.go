package store

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Writer is a Reader that sees its own writes and can make them. It serves one
// goroutine.
type Writer interface {
	Reader
	Attacher
	// AgentKeeper returns what files the owner's agents.
	AgentKeeper() AgentKeeper
	// AuditKeeper returns the owner's audit log, to be appended to.
	AuditKeeper() AuditKeeper
	// Holder returns the row that has taken an id, also while it is staged, or
	// ErrNotFound. Its Columns.Staged and Columns.Import tell whose it is.
	Holder(id memory.ID) (Row, error)
	// Insert adds a row, indexes doc for it and files its links, and returns the
	// document number; row.Number is not read. It fails with ErrExists when the
	// id is taken, by a staged row also; Holder tells by which. A staged row needs
	// an import.
	Insert(row Row, doc Document, links Links) (int64, error)
	// Replace gives the row with row.ID new JSON, columns and links, or fails
	// with ErrNotFound. The index is left as it is; Reindex changes it. So is
	// whether the row is staged; only Publish changes that.
	Replace(row Row, links Links) error
	// Reindex indexes new for a row instead of what was indexed before, or fails
	// with ErrNotFound. The store knows what that was, whoever cut its terms; an
	// empty document leaves nothing.
	Reindex(number int64, new Document) error
	// Delete removes a row, what is indexed for it, its links, its aliases and the
	// attachments that hang on it, or fails with ErrNotFound. Nothing but the id needs to be known, so that a row
	// whose content is damaged can be erased as well. Links and changes of others
	// that name it stay. A row that was erased before and put back, see Row.Erased,
	// leaves without being counted out again.
	Delete(id memory.ID) error
	// DropReceipts drops the receipts that answer with the id of a record that is
	// erased.
	DropReceipts(id memory.ID) error
	// SetAlias lets a foreign id stand for a record, instead of the one it stood
	// for before. It fails with ErrNotFound when there is no such record.
	SetAlias(space, foreign string, id memory.ID) error
	// SetProjectAlias lets alias stand for project; an empty project ends that.
	SetProjectAlias(alias, project string) error
	// Record appends to the change feed and returns the sequence number;
	// c.Sequence is not read.
	Record(c Change) (int64, error)
	// SetReceipt files the answer to an idempotency key, instead of an earlier
	// one; receipts older than keep, counted back from r.At, may be dropped.
	SetReceipt(r Receipt, keep time.Duration) error
	// SetImport files an import: a new one when Number is 0, else a change of
	// that one, or ErrNotFound. It returns the number. Its state is the caller's
	// to keep; what is visible is decided by Publish alone.
	SetImport(i Import) (int64, error)
	// SetLesson files what has been learnt of a row, instead of what was filed
	// before. It goes with the row.
	SetLesson(number int64, l Lesson) error
	// SetGrant files a grant by its id, instead of an earlier one.
	SetGrant(g Grant) error
	// SetAccount files what is said of the owner as one of many. It stays when the
	// owner is erased.
	SetAccount(a Account) error
	// SetMoved files how far the owner has gone over to another one, in words of the
	// caller's. It stays when the owner is erased.
	SetMoved(how string) error
	// EraseOwner deletes all rows of the owner in every table, save the audit log.
	// The owner's sequence numbers go on from where they were.
	EraseOwner() error
	// Publish makes the staged rows and attachments of an import visible and returns
	// how many rows they were. What is staged for the same import later is staged
	// again.
	Publish(imp int64) (int, error)
}

// Links are what a record points to; they can be followed backwards.
type Links struct {
	Relations  []memory.Relation
	Supersedes []memory.ID
}
