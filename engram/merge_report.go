package engram

import "time"

// MergeReport says what became of merged exports. It is for their owner, and contains
// values.
type MergeReport struct {
	Sources   []MergeSource `json:"sources"`
	Active    int           `json:"active"`
	Archived  int           `json:"archived"`
	Deleted   int           `json:"deleted"`
	Waiting   int           `json:"waiting"`   // conflicts that the owner must decide
	Decisions []Decision    `json:"decisions"` // beliefs that differ from their export
	Identity  string        `json:"identity"`  // address of the issuer whose identity won
}

// MergeSource is a merged export.
type MergeSource struct {
	Issuer   string    `json:"issuer"` // address
	Subject  string    `json:"subject"`
	Scope    Scope     `json:"scope"`
	IssuedAt time.Time `json:"issued_at"`
	Beliefs  int       `json:"beliefs"`
}

// Decision is what became of a belief in a merge, and why.
type Decision struct {
	ID       string   `json:"id"`
	Category Category `json:"category"`
	Key      string   `json:"key"`
	Stores   []string `json:"stores"` // addresses of issuers that have it
	Outcome  Outcome  `json:"outcome"`
	Because  string   `json:"because"` // what decided against the winner
	Over     []string `json:"for"`     // ids of the winning beliefs, or of tombstones
	Value    string   `json:"value,omitempty"`
	Holds    string   `json:"holds,omitempty"` // the winning value
}

// Outcome is what became of a belief.
type Outcome string

// The outcomes.
const (
	GaveWay Outcome = "archived" // its value is in the winner's evolution
	Waits   Outcome = "waits"    // archived, and proposed as a correction
	Buried  Outcome = "deleted"  // another store deleted it after its last change
)
