package aimemsuite

import (
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/conformance"
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
type Outcome = conformance.Outcome

// Result is one row of the requirements, and what became of it.
type Result = conformance.Result

// The outcomes.
const (
	Pass          = conformance.Pass
	Fail          = conformance.Fail
	Warn          = conformance.Warn
	NotTried      = conformance.NotTried
	NotApplicable = conformance.NotApplicable
)

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Producer string // namespace of the server's exports
	Wrote    int    // chunks that were taken in
	Left     bool   // and they are still there
}
