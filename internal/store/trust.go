package store

import "time"

// Trust reads data beside the records: lessons from their use, grants, and the owner's
// account.
type Trust interface {
	// Lessons returns the lessons of the rows with these document numbers, in that order;
	// the zero Lesson if a row has none.
	Lessons(numbers []int64) ([]Lesson, error)
	// Grants returns the owner's grants, latest issued first. A grant counts as revoked if
	// its row was changed outside of the store, or restored to its content from before a
	// revocation, as far as the store can tell, see Records.Altered. Without a time of its
	// own it counts from the time of issue.
	Grants() ([]Grant, error)
	// Grant returns one grant, or ErrNotFound. As far as the store can tell, it fails with
	// ErrAltered if the row was changed outside of the store. It also fails, unless the
	// grant is revoked, if the row of any revoked grant is missing or changed: it may have
	// been this grant's.
	Grant(id string) (Grant, error)
	// Account returns the owner's account; the zero Account: there is none.
	Account() (Account, error)
	// Usage returns the number of the owner's records, staged ones included, and the bytes
	// of their Origin and Current, of the Data of attachments, staged ones included, and of
	// the documents of agents and checkpoints.
	Usage() (records, bytes int64, err error)
	// Moved returns SetMoved's last text; "": none.
	Moved() (string, error)
}

// Lesson counts the outcomes of an injected record (UMP 3.8).
type Lesson struct {
	Followed, Overridden, Ignored, Contradicted int
	At                                          time.Time // the last outcome
}

// Grant is a capability token that the owner issued here, or revoked. The store does not
// keep the token itself.
type Grant struct {
	ID      string    // the token's jti
	Claims  []byte    // the token's claims, as JSON; nil if it was issued elsewhere
	Name    string    // for people
	Issued  time.Time // when it was issued, or first seen, here
	Expires time.Time // zero: unknown
	Revoked time.Time // zero: in force
}

// Account is a store's record about an owner in a store of many.
type Account struct {
	Key   []byte    // the owner's sealed private key; nil: it is held elsewhere
	Label string    // the operator's name for the owner
	Quota Quota     // how much the owner may keep
	Added time.Time // when the operator added the owner; zero: never
}

// Quota limits an owner's data; 0: no limit.
type Quota struct {
	Records int64
	Bytes   int64 // of what records, attachments and agents say, as [Trust.Usage] counts them
}

// Audit reads the audit log of the owner.
type Audit interface {
	// AuditSize returns how many entries and how many hashes the audit log has.
	AuditSize() (entries, hashes int64, err error)
	// AuditEntries returns at most max consecutive entries from number from on, counted
	// from 0. It stops at an entry that is missing because somebody tampered with the file.
	AuditEntries(from int64, max int) ([][]byte, error)
	// AuditHashes returns hashes by their place in the list, counted from 0, or ErrNotFound
	// if one is missing.
	AuditHashes(places []int64) ([][]byte, error)
	// AuditHead returns the signed head of the audit log; nil: there is none yet.
	AuditHead() ([]byte, error)
}

// AuditKeeper writes the audit log, and reads its own writes.
type AuditKeeper interface {
	Audit
	// AppendAudit appends entries to the owner's audit log, and hashes to the list of its
	// hashes. Nothing ever changes or deletes them, not even EraseOwner.
	AppendAudit(entries, hashes [][]byte) error
	// SetAuditHead replaces the signed head of the audit log.
	SetAuditHead(head []byte) error
}
