package engramruntime

import (
	"context"
	"io"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// Call holds the arguments of a runtime.
type Call struct {
	URL      string // the store's base; it may end with a slash
	Token    string // bearer token
	Base     string // the system prompt before the context; empty: the runtime's own, or none
	Audience string // the URI by which the runtime knows itself

	Belief, Value string    // of [Target].Correct: the id of a belief, and its right value
	Since         time.Time // of [Target].Sync: when the runtime was last up to date
}

// Said is the runtime's result of a call.
type Said struct {
	Done bool   // the runtime did not fail
	Out  string // the system prompt
	Log  string // its other output
}

// Level is how much the suite demands of a runtime.
type Level string

// The levels.
const (
	Minimal Level = "minimal" // as much as the twenty lines of Part 5
	Full    Level = "full"    // the runtime also trusts nothing that it has not verified
)

// Target is the tested runtime. Runtime, Now and Random are required.
type Target struct {
	// Runtime starts the runtime once and waits for its end. It fails only if the runtime
	// cannot be started, which ends the run.
	Runtime func(ctx context.Context, c Call) (Said, error)
	// Correct proposes one correction. Sync asks for changes and prints them, or the prompt
	// that the runtime makes of them. nil: the runtime cannot do so, or the run does not try
	// it.
	Correct, Sync func(ctx context.Context, c Call) (Said, error)
	// Audience says that Call.Audience reaches the runtime. Without it, the run does not try
	// contexts issued to another audience.
	Audience bool
	Level    Level    // empty: [Full]
	Strict   bool     // rows of SHOULD and MAY count, too; otherwise they are warnings
	Only     []string // ids, or beginnings of ids, of the rows to try; none: all
	Now      func() time.Time
	Random   io.Reader
}

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Level Level       // the level that the runtime reaches, of the rows tried; empty: none
	Tier  engram.Tier // of section 6; empty: none
}
