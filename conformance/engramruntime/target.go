package engramruntime

import (
	"context"
	"io"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// Call is what a runtime is started with.
type Call struct {
	URL      string // the store's base; it may end with a slash
	Token    string // bearer token
	Base     string // the system prompt that the context goes behind; empty: the runtime's own, or none
	Audience string // the URI by which the runtime is to know itself

	Belief, Value string    // of [Target].Correct: the id of a belief, and what is right
	Since         time.Time // of [Target].Sync: when the runtime was up to date
}

// Said is what a runtime made of a call.
type Said struct {
	Done bool   // it did not fail
	Out  string // the system prompt
	Log  string // what it says besides
}

// Level is how much is asked of a runtime.
type Level string

// The levels.
const (
	Minimal Level = "minimal" // what the twenty lines of Part 5 do
	Full    Level = "full"    // and it trusts nothing that it has not verified
)

// Target is the runtime to be tried. Runtime, Now and Random are required.
type Target struct {
	// Runtime starts the runtime once and waits for its end. The error is for one that
	// cannot be started at all, and ends the run.
	Runtime func(ctx context.Context, c Call) (Said, error)
	// Correct proposes one correction. Sync asks for what changed and prints that, or the
	// prompt that it makes of it. nil: the runtime does not, or it is not tried.
	Correct, Sync func(ctx context.Context, c Call) (Said, error)
	// Audience says that Call.Audience reaches the runtime; else what was issued to
	// another is not tried.
	Audience bool
	Level    Level    // empty: [Full]
	Strict   bool     // rows of SHOULD and MAY count, too; otherwise they are warnings
	Only     []string // ids, or beginnings of ids, of the rows to try; none: all
	Now      func() time.Time
	Random   io.Reader
}

// Result is one row of the requirements, and what became of it.
type Result = conformance.Result

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Level Level       // that the runtime reaches, as far as tried; empty: none
	Tier  engram.Tier // of section 6; empty: none
}
