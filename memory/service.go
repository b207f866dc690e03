package memory

import (
	"encoding/json"
)

// Draft is a record that a caller offers for storing (UMP 3.3).
type Draft struct {
	// Record is the memory to store. Its Origin holds the draft as received, so that
	// members outside the model are kept.
	Record Record
	// Complete says that the record carries its own integrity. The store verifies it,
	// stores it unchanged, and fills nothing in.
	Complete bool
	// Key makes a retry harmless (HTTP Idempotency-Key): the same key with the same draft
	// returns the first answer again. Empty: no such guarantee.
	Key string
	// KeepSecrets keeps keys, tokens and passwords in the draft. Otherwise the store masks
	// them before it hashes the record. Only the owner may set it.
	KeepSecrets bool
}

// Warning tells the caller about an effect that the caller may not expect. It never repeats
// the content of a memory.
type Warning struct {
	Path    string // JSON Pointer into the request
	Message string // what was done, and what to do next
}

// RememberResult says what the store did with a draft.
type RememberResult struct {
	ID       ID
	Outcome  Outcome
	Warnings []Warning
}

// Revision replaces a record by a successor (UMP 3.5).
type Revision struct {
	ID    ID
	Patch json.RawMessage // JSON merge patch (RFC 7396) on the record
	Key   string          // as in Draft
	// KeepSecrets is as in Draft.
	KeepSecrets bool
	Actor       string // who revises, for the successor's provenance; empty: the owner
}

// RevisionResult names the successor and the records that it replaces.
type RevisionResult struct {
	ID         ID
	Supersedes []ID
	Warnings   []Warning
}

// ForgetRequest asks the store to forget a record (UMP 3.6).
type ForgetRequest struct {
	ID     ID
	Reason Reason
	Note   string // free words, erased with the record
	Hard   bool   // erase every copy; owner only
	Chain  bool   // forget every version of the belief, not this record alone
	Actor  string // who forgets, for the tombstone's provenance; empty: unchanged
}

// ForgetOutcome says how a record was forgotten.
type ForgetOutcome string

// The outcomes of forgetting. ErasePending: the record is gone for all callers, but another
// reader keeps the files from being cleared; the store clears them later.
const (
	AsTombstone  ForgetOutcome = "tombstoned"
	AsErased     ForgetOutcome = "erased"
	ErasePending ForgetOutcome = "pending"
)

// View selects the form of a record that get returns.
type View string

// The two forms of a record (decision UD-6). The empty View means Current.
const (
	CurrentView View = "current"
	OriginView  View = "origin" // as the author wrote and signed it
)

// Capabilities lists what a server offers (UMP 3.1).
type Capabilities struct {
	Name        string // the server's name
	Release     string // the server's version
	UMP         string // edition of UMP that the server speaks
	Conformance string // conformance level: "L0" to "L3"
	Bindings    []string
	MaxRecall   int
	Writable    bool
	Owner       DID // owner of the memories that the caller reaches, if known
	// Audit says that the server logs operations; servers announce it from UMP 1.0 on
	// (section 9).
	Audit bool
}

// Archive yields the records of an import: of a document, a folder or an export.
type Archive interface {
	// Next returns the next record, or io.EOF after the last. Any other error
	// ends the run: the archive is invalid and nothing of it may be kept. The
	// record is the caller's; later calls do not change it.
	Next() (Record, error)
}
