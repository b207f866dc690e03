package store

import "time"

// Trust reads what stands beside the records: what was learnt from their use, who was
// let in, and what the owner is to the store.
type Trust interface {
	// Lessons returns what has been learnt of the rows with these document
	// numbers, in the order asked for; the zero Lesson where nothing has been.
	Lessons(numbers []int64) ([]Lesson, error)
	// Grants returns the grants of the owner, latest issued first. One whose row was
	// changed outside of the store, or was put back to what it said before it was
	// revoked, as far as can be told, see Records.Altered, comes as revoked: from when
	// it was issued, unless it says.
	Grants() ([]Grant, error)
	// Grant returns one grant, or ErrNotFound. As far as can be told, it fails with
	// ErrAltered when the row was changed outside of the store; and also, unless the
	// grant is revoked, when the row of any that was revoked has gone from the store
	// or says otherwise, since it may have been this one's.
	Grant(id string) (Grant, error)
	// Account returns what is said of the owner as one of many; the zero Account:
	// nothing.
	Account() (Account, error)
	// Usage returns how many records the owner has, staged ones included, and how
	// many bytes their Origin and Current have together with the Data of the owner's
	// attachments, staged ones included, and the documents of agents and checkpoints.
	Usage() (records, bytes int64, err error)
	// Moved returns what SetMoved filed last; "": nothing.
	Moved() (string, error)
}

// Lesson counts the outcomes of a record that was injected (UMP 3.8).
type Lesson struct {
	Followed, Overridden, Ignored, Contradicted int
	At                                          time.Time // the last outcome
}

// Grant is a capability token that the owner issued here, or revoked. The token
// itself is not kept.
type Grant struct {
	ID      string    // the token's jti
	Claims  []byte    // what the token says, as JSON; nil when it was issued elsewhere
	Name    string    // for people
	Issued  time.Time // when it was issued, or first heard of, here
	Expires time.Time // zero: not known
	Revoked time.Time // zero: in force
}

// Account is what a store says of an owner who is one of many.
type Account struct {
	Key   []byte    // the owner's private key, sealed; nil: it is held elsewhere
	Label string    // by which the operator knows the owner
	Quota Quota     // how much the owner may keep
	Added time.Time // when the operator let the owner in; zero: nobody did
}

// Quota is how much an owner may keep; 0: as much as there is room for.
type Quota struct {
	Records int64
	Bytes   int64 // of what records, attachments and agents say, as [Trust.Usage] counts them
}

// Audit reads the audit log of the owner.
type Audit interface {
	// AuditSize returns how many entries and how many hashes the audit log has.
	AuditSize() (entries, hashes int64, err error)
	// AuditEntries returns at most max entries that follow each other, the first of
	// which is number from, counted from 0. One that is missing, because the file
	// was tampered with, ends them.
	AuditEntries(from int64, max int) ([][]byte, error)
	// AuditHashes returns hashes by their place in the list, counted from 0, or
	// ErrNotFound when one of them is not there.
	AuditHashes(places []int64) ([][]byte, error)
	// AuditHead returns the signed head of the audit log; nil: there is none yet.
	AuditHead() ([]byte, error)
}

// AuditKeeper writes the audit log, and finds what it has written.
type AuditKeeper interface {
	Audit
	// AppendAudit appends entries to the owner's audit log, and hashes to the list
	// of its hashes. Neither is ever changed or deleted, by EraseOwner either.
	AppendAudit(entries, hashes [][]byte) error
	// SetAuditHead replaces the signed head of the audit log.
	SetAuditHead(head []byte) error
}
