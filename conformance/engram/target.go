package engramsuite

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// Target is the tested store and what the run may use. URL, Token, Now and Random are
// required. Every further field lets the run try more rows.
type Target struct {
	URL    string // the store's base, without /v1
	Token  string // bearer token for the whole context; it may propose corrections
	Client *http.Client
	Issuer string // the expected issuer of contexts; empty: URL
	// Narrow is a token for the scope professional. Expired is an expired token. Reads is a
	// token that may not propose corrections. Empty: the run does not try its rows.
	Narrow, Expired, Reads string
	// Hands act as the owner; nil: the run does not try rows that need them.
	Hands Hands
	// ReadOnly stops the run from proposing a correction.
	ReadOnly bool
	// Strict makes rows of every keyword count. Otherwise rows of SHOULD and MAY are
	// warnings.
	Strict bool
	Only   []string // ids, or beginnings of ids, of the rows to try; empty: all
	Now    func() time.Time
	Random io.Reader
}

// Hands are acts of the owner for which the standard has no requests.
type Hands interface {
	// Believe states a belief and returns its id.
	Believe(ctx context.Context, b engram.Belief) (string, error)
	// Correct gives a belief another value.
	Correct(ctx context.Context, belief, value string) error
	// Archive archives a belief.
	Archive(ctx context.Context, belief string) error
	// Delete deletes a belief; a tombstone stays.
	Delete(ctx context.Context, belief string) error
	// Decide confirms a correction, or rejects it.
	Decide(ctx context.Context, correction string, confirm bool) error
}

// Tier is a tier of section 6; empty: none.
type Tier = engram.Tier

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Issuer engram.Issuer // as the contexts name it
	Tier   Tier          // the highest with every MUST tried and kept; empty: none
	Left   []string      // leftovers: a waiting correction
}
