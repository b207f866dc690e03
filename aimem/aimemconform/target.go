package aimemconform

import (
	"io"
	"net/http"
	"time"
)

// Target is the server to be tried, and what the run may use. URL, Token, Now and
// Random are required.
type Target struct {
	URL    string // the server's base, without /v1
	Token  string // bearer token that may export and import, the owner's to try erasure
	Client *http.Client
	// Reader is a token that may neither export nor import; empty: not tried.
	Reader string
	// Strict makes rows of every keyword count. Otherwise those of MUST and MUST
	// NOT do, and the others are warnings.
	Strict bool
	Only   []string // ids, or beginnings of ids, of the rows to try; none: all
	// Erase tries erasure in the end: everything that the token's owner has on the
	// server is gone then, not only what the run wrote.
	Erase  bool
	Now    func() time.Time
	Random io.Reader
}

// Outcome is what became of a row.
type Outcome string

// The outcomes.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	Warn          Outcome = "warn"           // fails a strict run
	NotTried      Outcome = "not tried"      // the run was not given what it takes
	NotApplicable Outcome = "not applicable" // cannot be seen over HTTP, or does not concern this server
)

// Result is one row of the requirements.
type Result struct {
	ID      string        `json:"id"`      // "AIMEM-3.2-7"
	Keyword string        `json:"keyword"` // MUST, MUST NOT, SHOULD, SHOULD NOT, MAY, or IMPLIED
	Level   string        `json:"level"`   // L1 Producer, L2 Consumer, L3 Bidirectional
	Title   string        `json:"title"`
	Outcome Outcome       `json:"outcome"`
	Message string        `json:"message,omitempty"` // why, unless it passed
	Took    time.Duration `json:"-"`
}

// Summary sums up a run.
type Summary struct {
	Producer string          // namespace of the server's exports
	Counts   map[Outcome]int // of rows
	Failed   []Result        // those that make the run fail
	Partial  bool            // rows were not asked for, or not tried
	Wrote    int             // chunks that were taken in
	Left     bool            // and they are still there
}

// OK reports whether the server keeps what was tried.
func (s Summary) OK() bool { return len(s.Failed) == 0 && s.Counts[Pass] > 0 }
