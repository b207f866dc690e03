package memory

import "time"

// Query asks for the memories that answer a question (UMP 3.2).
type Query struct {
	Text   string // plain language; never parsed as a query language
	Scope  Scope  // whom and where the question concerns
	Filter Filter
	Limit  int      // results wanted; 0: 8, above 50: 50 (decision UD-17)
	Prefer []string // ranking hints: signal names
	Budget int      // most tokens of text to return, estimated; 0: no bound
}

// Filter narrows what may be returned at all.
type Filter struct {
	Kinds    []Kind    // none: every kind
	Statuses []Status  // none: active
	ValidAt  time.Time // zero: now
}

// Hit is one memory that answers a query.
type Hit struct {
	Record  Record
	Signals Signals
	Score   float64
	Why     []string // reasons in words, strongest first
}

// Signals are the five retrieval signals of UMP 3.2. All but ProvenanceDepth
// lie in 0 to 1.
type Signals struct {
	Similarity      float64
	Recency         float64
	Salience        float64
	ScopeMatch      float64
	ProvenanceDepth int // how many derivations lie behind the record
}

// SignalNames returns the names of the five signals as the protocol spells them.
func SignalNames() []string {
	return []string{"similarity", "recency", "salience", "scope_match", "provenance_depth"}
}

// Caller is who asks. The zero Caller is a stranger: it sees public records only.
type Caller struct {
	Owner   DID    // whose memory is asked for
	Role    Role   // how far the caller is trusted
	Agent   string // name of the program, such as "claude-code"
	Session string
	// Grant is what the capability token of a Peer allows; nil for everybody
	// else, and for a peer to whom nothing is granted.
	Grant *Grant
	// KeepSecrets keeps keys, tokens and passwords in the texts that an Owner states,
	// where the call has no word of its own for that. Otherwise they are masked.
	KeepSecrets bool
}

// Role says what a caller may do.
type Role int

// Roles in order of trust.
const (
	Stranger Role = iota // public records, read only
	Peer                 // what a capability token grants
	Agent                // the owner's agent: read, write, derive
	Owner                // the person themself: everything
)

// Speaks reports whether the caller acts for the owner, so that nothing crosses
// a visibility boundary (decision UD-13).
func (c Caller) Speaks() bool { return c.Role >= Agent }

// Outcome says what became of a record that was offered for storing (UMP 3.3).
type Outcome string

// The three outcomes of remember.
const (
	Created  Outcome = "created"
	Merged   Outcome = "merged"
	Rejected Outcome = "rejected"
)

// Reason is why a record is forgotten. Free words go into a note, which dies
// with the record.
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
