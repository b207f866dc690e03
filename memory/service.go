package memory

import "encoding/json"

// Draft is a record offered for storing (UMP 3.3).
type Draft struct {
	// Record is what is to be remembered. Its Origin holds the draft as
	// received, so that members the model does not know are kept.
	Record Record
	// Complete says that the record carries its own integrity: it is verified
	// and stored unchanged, and nothing is filled in.
	Complete bool
	// Key makes a retried request harmless (HTTP Idempotency-Key): the same key
	// with the same draft gives the first answer again. Empty: no such promise.
	Key string
	// KeepSecrets keeps keys, tokens and passwords in the draft. Otherwise they are
	// masked before the record is hashed. It is for the owner alone.
	KeepSecrets bool
}

// Warning says what the service did otherwise than the caller may expect. It
// never repeats the content of a memory.
type Warning struct {
	Path    string // JSON Pointer into the request
	Message string // what was done, and what to do next
}

// Remembered says what became of a draft.
type Remembered struct {
	ID       ID
	Outcome  Outcome
	Warnings []Warning
}

// Revision changes a record by a successor (UMP 3.5).
type Revision struct {
	ID    ID
	Patch json.RawMessage // JSON merge patch (RFC 7396) on the record
	Key   string          // as in Draft
	// KeepSecrets is as in Draft.
	KeepSecrets bool
	Actor       string // who acts, for the successor's provenance; empty: the owner
}

// Revised names the successor and what it replaces.
type Revised struct {
	ID         ID
	Supersedes []ID
	Warnings   []Warning
}

// Forgetting asks that a record be forgotten (UMP 3.6).
type Forgetting struct {
	ID     ID
	Reason Reason
	Note   string // free words; they die with the record
	Hard   bool   // erase every copy; owner only
	Chain  bool   // forget every version of the belief, not this record alone
	Actor  string // who acts, for the tombstone's provenance; empty: it stays as it is
}

// Forgotten says how a record was forgotten.
type Forgotten string

// The ways of being forgotten. ErasePending: the record is gone for everybody,
// but somebody's reading keeps the files from being cleared; that follows.
const (
	AsTombstone  Forgotten = "tombstoned"
	AsErased     Forgotten = "erased"
	ErasePending Forgotten = "pending"
)

// View chooses which form of a record get returns.
type View string

// The two forms of a record (decision UD-6). The empty View means Current.
const (
	CurrentView View = "current"
	OriginView  View = "origin" // as authored, with its author's signature
)

// Capabilities say what a server offers (UMP 3.1).
type Capabilities struct {
	Name        string // of the server
	Release     string // its version
	UMP         string // edition spoken
	Conformance string // level in force: "L0" to "L3"
	Bindings    []string
	MaxRecall   int
	Writable    bool
	Owner       DID // whose memory the caller reaches, if it is known
	// Audit says that operations are logged; announced from UMP 1.0 on (section 9).
	Audit bool
}
