package aimemsuite

import (
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/conformance"
)

// Target is the tested server and what the run may use. URL, Token, Now and Random are
// required.
type Target struct {
	URL    string // the server's base, without /v1
	Token  string // bearer token that may export and import; the owner's, if the run erases
	Client *http.Client
	// Reader is a token that may neither export nor import; empty: the run does not try one.
	Reader string
	// Strict makes rows of every keyword count. Otherwise only rows of MUST and MUST NOT
	// count, and the others are warnings.
	Strict bool
	Only   []string // ids, or beginnings of ids, of the rows to try; empty: all
	// Erase makes the run end with an erasure. It removes everything that the token's owner
	// has on the server, not only the chunks of the run.
	Erase  bool
	Now    func() time.Time
	Random io.Reader
}

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Producer string // namespace of the server's exports
	Wrote    int    // chunks that the server imported
	Left     bool   // the chunks are still there
}
