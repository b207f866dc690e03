package engram

import "time"

// MergeReport says what became of exports that were merged. It is for their owner, and
// tells values.
type MergeReport struct {
	Sources   []MergeSource `json:"sources"`
	Active    int           `json:"active"`
	Archived  int           `json:"archived"`
	Deleted   int           `json:"deleted"`
	Waiting   int           `json:"waiting"`   // conflicts that are for the owner to decide
	Decisions []Decision    `json:"decisions"` // what is not any more as its export says
	Identity  string        `json:"identity"`  // address of the issuer whose identity holds
}

// MergeSource is an export that was merged.
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
	Because  string   `json:"because"` // what told it apart from that which holds
	Over     []string `json:"for"`     // ids of the beliefs that hold, or of tombstones
	Value    string   `json:"value,omitempty"`
	Holds    string   `json:"holds,omitempty"` // the value that holds instead
}

// Outcome is what became of a belief.
type Outcome string

// What can become of one.
const (
	GaveWay Outcome = "archived" // its value is in the evolution of that which holds
	Waits   Outcome = "waits"    // archived as well, and proposed as a correction
	Buried  Outcome = "deleted"  // another store deleted it later than it changed
)
