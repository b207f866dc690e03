package aaifsuite

import (
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/keys"
)

// Target is the platform to be tried, and what the run may use. URL, Token, Now and
// Random are required.
type Target struct {
	URL    string // the platform's base, without /aaif
	Token  string // bearer that may have definitions taken in
	Client *http.Client
	// Key signs definitions and migration tokens. The zero Key: what needs one that the
	// platform trusts is not tried.
	Key keys.Private
	// Issuer is the name by which the platform knows the key; empty: conformance.
	Issuer string
	// Audience is the platform's name in migration tokens; empty: that of its manifest.
	Audience string
	// States and Handoff are the paths where states are taken in, for which a manifest
	// has no place; empty: /aaif/states and /aaif/handoff.
	States, Handoff string
	Remove          bool // deletes what the run put there, by DELETE of the intake and of States
	// Strict makes rows of every keyword count. Otherwise rows of MUST and MUST NOT count,
	// and the others are warnings.
	Strict bool
	Only   []string // ids, or beginnings of ids, of the rows to try; none: all
	Now    func() time.Time
	Random io.Reader
}

// Outcome is what became of a row.
type Outcome = conformance.Outcome

// Result is one row of the requirements, and what became of it.
type Result = conformance.Result

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Platform string   // as its manifest names it
	Level    string   // that its manifest claims
	InForce  string   // what else it says, see [aaif.InForce]
	Left     []string // what stays there: agents, and states; with Target.Remove what could not be removed
}

// Corpus names the rows of this package in conformance reports (AAIF-6-20).
const Corpus = "satchel-conformance-aaif-3.4"

// Suite says for a conformance report what a run that began at a time has shown, of all
// rows that concern the platform: those that were not tried did not pass.
func (s Summary) Suite(began time.Time) aaif.Suite {
	suite := aaif.Suite{Corpus: Corpus, Passed: s.Counts[conformance.Pass], RanAt: began}
	for _, o := range [...]Outcome{conformance.Pass, conformance.Fail, conformance.Blocked, conformance.Warn, conformance.NotTried} {
		suite.Total += s.Counts[o]
	}
	return suite
}
