package memory

import "time"

// Query asks a store for the memories that answer a question (UMP 3.2).
type Query struct {
	Text   string   // plain language; never parsed as a query language
	Also   []string // other wordings of the question, at most MaxAlso, each like Text
	Scope  Scope    // person, project and agent that the question is about
	Filter Filter
	Limit  int      // number of results; 0: 8, above 50: 50 (decision UD-17)
	Prefer []string // ranking hints: signal names
	Budget int      // most tokens of text to return, estimated; 0: no bound
}

// MaxAlso is the most other wordings of a question.
const MaxAlso = 5

// Filter narrows the records that a query may return.
type Filter struct {
	Kinds    []Kind    // none: every kind
	Statuses []Status  // none: active
	ValidAt  time.Time // zero: now
}

// Hit is one memory that answers a query.
type Hit struct {
	Record  Record
	Signals Signals
	Score   float64  // 0 to 1, see Certain
	Why     []string // reasons in words, strongest first
}

// Certain is the score from which on the owner's memory probably knows the answer to a query.
// The score of the first hit is the probability of that, and those of the others are in
// proportion. Any record answers a broad query, so that all its hits have at least Certain.
const Certain = .25

// Signals are the five retrieval signals of UMP 3.2. All but ProvenanceDepth
// lie in 0 to 1.
type Signals struct {
	Similarity      float64
	Recency         float64
	Salience        float64
	ScopeMatch      float64
	ProvenanceDepth int // number of derivations behind the record
}

// SignalNames returns the names of the five signals as the protocol spells them.
func SignalNames() []string {
	return []string{"similarity", "recency", "salience", "scope_match", "provenance_depth"}
}

// Caller is the person or program that makes a request. The zero Caller is a stranger and
// sees public records only.
type Caller struct {
	Owner   DID    // the owner of the memories that the caller asks for
	Role    Role   // how far the server trusts the caller
	Agent   string // name of the program, such as "claude-code"
	Session string
	// Grant holds the permissions in the capability token of a Peer. It is nil for all
	// other callers, and for a peer without permissions.
	Grant *Grant
	// KeepSecrets keeps keys, tokens and passwords in the texts that an Owner writes, if
	// the call itself does not say. Otherwise they are masked.
	KeepSecrets bool
}

// Role determines what a caller may do.
type Role int

// Roles in order of trust.
const (
	Stranger Role = iota // reads public records only
	Peer                 // has the permissions of a capability token
	Agent                // the owner's agent: read, write, derive
	Owner                // the person: everything
)

// Speaks reports whether the caller acts for the owner, so that no record crosses a
// visibility boundary (decision UD-13).
func (c Caller) Speaks() bool { return c.Role >= Agent }

// Outcome says what the store did with a draft (UMP 3.3).
type Outcome string

// The three outcomes of remember.
const (
	Created  Outcome = "created"
	Merged   Outcome = "merged"
	Rejected Outcome = "rejected"
)

// Reason is why a record is forgotten. Free words belong in a note, which is erased with
// the record.
type Reason string

// The codes a reason may have.
const (
	UserRevoked      Reason = "user_revoked"
	Incorrect        Reason = "incorrect"
	Outdated         Reason = "outdated"
	Duplicate        Reason = "duplicate"
	RetentionExpired Reason = "retention_expired"
	OtherReason      Reason = "other"
)

// Valid reports whether r is one of the codes.
func (r Reason) Valid() bool {
	switch r {
	case UserRevoked, Incorrect, Outdated, Duplicate, RetentionExpired, OtherReason:
		return true
	}
	return false
}
