package store

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Writer is a Reader that can write and sees its own writes. Only one goroutine may use it.
type Writer interface {
	Reader
	AttachmentKeeper
	Scheduler
	// AgentKeeper stores the owner's agents.
	AgentKeeper() AgentKeeper
	// RunKeeper stores the runs of the owner's agents.
	RunKeeper() RunKeeper
	// SessionKeeper stores the sessions of the owner's browsers.
	SessionKeeper() SessionKeeper
	// ReadingKeeper stores what assistants were given.
	ReadingKeeper() ReadingKeeper
	// AuditKeeper appends to the owner's audit log.
	AuditKeeper() AuditKeeper
	// Holder returns the row that holds an id, staged or not, or ErrNotFound.
	// Columns.Staged and Columns.Import name its import.
	Holder(id memory.ID) (Row, error)
	// Insert adds a row, indexes doc for it and stores its links. It returns the document
	// number and ignores row.Number. It fails with ErrExists if the id is taken, by a
	// staged row as well; Holder returns that row. A staged row needs an import.
	Insert(row Row, doc Document, links Links) (int64, error)
	// Replace gives the row with row.ID new JSON, columns and links, or fails with
	// ErrNotFound. It changes neither the index (see Reindex) nor whether the row is staged
	// (see Publish).
	Replace(row Row, links Links) error
	// Reindex replaces a row's index entry with new, or fails with ErrNotFound. The store
	// knows the old terms, whichever tokeniser made them; an empty document removes the
	// entry.
	Reindex(number int64, new Document) error
	// Pack brings what an earlier release wrote to the index into the present form, which is
	// shorter: of about the next most rows, from a term on. It returns the term to go on with,
	// and whether there may be more. What readers see stays the same. It does nothing as long
	// as programs that cannot read the present form may use the store.
	Pack(from string, most int) (next string, more bool, err error)
	// Delete removes a row, its index entry, links, aliases and attachments, or fails with
	// ErrNotFound. It needs only the id, so that it can erase a row with damaged content.
	// Links and changes of other rows that name it stay. A restored row, see Row.Erased,
	// does not count twice.
	Delete(id memory.ID) error
	// DropReceipts drops the receipts whose answer holds the id of an erased record.
	DropReceipts(id memory.ID) error
	// SetAlias makes a foreign id stand for a record, instead of an earlier one. It fails
	// with ErrNotFound if there is no such record.
	SetAlias(space, foreign string, id memory.ID) error
	// SetProjectAlias makes alias stand for project; an empty project removes the alias.
	SetProjectAlias(alias, project string) error
	// Record appends to the change feed and returns the sequence number; it ignores
	// c.Sequence.
	Record(c Change) (int64, error)
	// SetReceipt stores the answer to an idempotency key, instead of an earlier one. It may
	// drop receipts older than keep, counted back from r.At.
	SetReceipt(r Receipt, keep time.Duration) error
	// SetImport stores an import: a new one if Number is 0, else a change of that one, or
	// ErrNotFound. It returns the number. The caller maintains the state; only Publish
	// decides what is visible.
	SetImport(i Import) (int64, error)
	// SetLesson stores a row's lesson, instead of an earlier one. Deleting the row deletes
	// it.
	SetLesson(number int64, l Lesson) error
	// SetGrant stores a grant by its id, instead of an earlier one.
	SetGrant(g Grant) error
	// SetAccount stores the owner's account. It stays when the owner is erased.
	SetAccount(a Account) error
	// SetMoved stores how far the owner has moved to another key or store, in the caller's
	// words. It stays when the owner is erased.
	SetMoved(how string) error
	// EraseOwner deletes all rows of the owner in every table, except the audit log. The
	// owner's sequence numbers continue.
	EraseOwner() error
	// Publish makes an import's staged rows and attachments visible and returns the number
	// of rows. Rows staged later for the same import are staged again.
	Publish(imp int64) (int, error)
}

// Links are the targets of a record; they can be followed backwards.
type Links struct {
	Relations  []memory.Relation
	Supersedes []memory.ID
}
