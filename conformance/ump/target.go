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

// Target is the tested server and what the run may use. URL, Now and Random are required.
// Every further field lets the run try more rows; rows that it cannot try are reported as
// not tried.
type Target struct {
	URL    string // the server's base, with or without /ump
	Token  string // bearer token of the owner's side; empty: the run makes one with Key, else sends none
	Client *http.Client
	// Mint makes capability tokens; nil: the run makes them with Key.
	Mint func(ump.Claims) (string, error)
	// Revoke revokes a capability token before its expiry, by its jti. The protocol has no
	// operation for it. nil: not tried.
	Revoke func(jti string) error
	Owner  memory.DID    // the owner of the memory; empty: Key's, else as the server says
	Key    *keys.Private // the owner's key, for signed records and tokens; nil: not tried
	Level  string        // "L0" to "L3"; empty: as the server says
	// Strict makes rows of every keyword count. Otherwise only rows of MUST and MUST NOT
	// count, and the others are warnings.
	Strict  bool
	Only    []string // ids, or beginnings of ids, of the rows to try; empty: all
	Project string   // scope.project of the run's memories; empty: a random one
	Keep    bool     // keeps the run's memories
	// Patience is the longest wait for an event of a stream; 0: 5 seconds.
	Patience time.Duration
	// Heartbeat is the longest time that an idle stream may be silent; 0: not tried.
	// Decision UD-27 makes a stream send a sign of life every 15 seconds.
	Heartbeat time.Duration
	Now       func() time.Time
	Random    io.Reader
}

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Edition string      // the UMP edition that the server announces
	Level   string      // the level tried
	Server  string      // name and version, as the server says
	Owner   memory.DID  // the owner of the memory used
	Extra   []string    // members of answers and records that the specification does not name
	Before  []string    // members and broken rules in records that the run did not write; they do not count
	Left    []memory.ID // memories that the run could not remove
}
