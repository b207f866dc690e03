package umpsuite

import (
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Target is the server to be tried, and what the run may use. URL, Now and Random
// are required. The more of the rest is given, the more can be tried; what
// cannot is reported as such.
type Target struct {
	URL    string // the server's base, with or without /ump
	Token  string // bearer token of the owner's side; empty: one is made with Key, else none is sent
	Client *http.Client
	// Mint makes capability tokens. nil: they are made with Key.
	Mint func(ump.Claims) (string, error)
	// Revoke takes a capability token back before its time, by its jti; the
	// protocol has no operation for it. nil: not tried.
	Revoke func(jti string) error
	Owner  memory.DID    // whose memory it is; empty: Key's, else as the server says
	Key    *keys.Private // the owner's key, to make signed records and tokens; nil: not tried
	Level  string        // "L0" to "L3"; empty: as the server says of itself
	// Strict makes rows of every keyword count. Otherwise those of MUST and MUST
	// NOT do, and the others are warnings.
	Strict  bool
	Only    []string // ids, or beginnings of ids, of the rows to try; none: all
	Project string   // scope.project of what the run writes; empty: a random one
	Keep    bool     // leave what the run wrote
	// Patience is how long an event of a stream may take to come; 0: 5 seconds.
	Patience time.Duration
	// Heartbeat is how long a stream to which nothing happens may be silent; 0: not
	// tried. Decision UD-27 has it say that it is alive every 15 seconds.
	Heartbeat time.Duration
	Now       func() time.Time
	Random    io.Reader
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
	Blocked       = conformance.Blocked
	NotTried      = conformance.NotTried
	NotApplicable = conformance.NotApplicable
)

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Edition string      // of UMP that the server announces
	Level   string      // that was tried
	Server  string      // name and version, as it says
	Owner   memory.DID  // whose memory was used
	Extra   []string    // members of answers and records that the specification does not name
	Before  []string    // the like, and broken rules, in records that the run did not write: they do not count
	Left    []memory.ID // what the run wrote and could not remove
}
