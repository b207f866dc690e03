package engramsuite

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// Target is the store to be tried, and what the run may use. URL, Token, Now and
// Random are required. The more of the rest is given, the more can be tried.
type Target struct {
	URL    string // the store's base, without /v1
	Token  string // bearer token for the whole context, that may propose corrections
	Client *http.Client
	Issuer string // who is expected to sign; empty: URL
	// Narrow is a token for the scope professional; Expired one that has expired; Reads
	// one that may not propose corrections. Empty: not tried.
	Narrow, Expired, Reads string
	// Hands act as the owner; nil: what needs them is not tried.
	Hands Hands
	// ReadOnly proposes no correction.
	ReadOnly bool
	// Strict makes rows of every keyword count. Otherwise rows of SHOULD and MAY are
	// warnings.
	Strict bool
	Only   []string // ids, or beginnings of ids, of the rows to try; none: all
	Now    func() time.Time
	Random io.Reader
}

// Hands are acts of the owner, which the standard has no requests for.
type Hands interface {
	// Believe states a belief and returns its id.
	Believe(ctx context.Context, b engram.Belief) (string, error)
	// Correct gives a belief another value.
	Correct(ctx context.Context, belief, value string) error
	// Archive puts a belief away.
	Archive(ctx context.Context, belief string) error
	// Delete deletes a belief; a tombstone stays.
	Delete(ctx context.Context, belief string) error
	// Decide confirms a correction, or rejects it.
	Decide(ctx context.Context, correction string, confirm bool) error
}

// Outcome is what became of a row.
type Outcome = conformance.Outcome

// Result is one row of the requirements, and what became of it.
type Result = conformance.Result

// Tier is a tier of section 6; empty: none.
type Tier = engram.Tier

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Issuer engram.Issuer // as the contexts name it
	Tier   Tier          // the highest of which every MUST was tried and kept; empty: none
	Left   []string      // what stays: a correction that waits
}
