package aaifsuite

import (
	"context"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/keys"
)

// Target is the tested platform and what the run may use. URL, Token, Now and Random are
// required.
type Target struct {
	URL    string // the platform's base, without /aaif
	Token  string // bearer token that may send definitions to the intake
	Client *http.Client
	// Key signs definitions and migration tokens. With the zero Key, the run does not try
	// rows that need a trusted key.
	Key keys.Private
	// Issuer is the platform's name for the key; empty: conformance.
	Issuer string
	// Audience is the platform's name in migration tokens; empty: the manifest's.
	Audience string
	// States and Handoff are the paths that receive states. A manifest has no member for
	// them; empty: /aaif/states and /aaif/handoff.
	States, Handoff string
	// Runs is the path below which runs are; empty: /aaif/runs. They are started below the
	// intake.
	Runs string
	// Listen is the address of this machine at which the run plays a model and tools for the
	// agent [Runner]; the platform must reach it. Empty: [DefaultListen].
	Listen string
	// Hands act where HTTP shows nothing; nil: rows that need them are not tried.
	Hands  Hands
	Remove bool // deletes the run's items, by DELETE of the intake, of States and of runs
	// Strict makes rows of every keyword count. Otherwise only rows of MUST and MUST NOT
	// count, and the others are warnings.
	Strict bool
	Only   []string // ids, or beginnings of ids, of the rows to try; empty: all
	Now    func() time.Time
	Random io.Reader
}

// Hands act for the operator of a platform, on the machine where it is.
type Hands interface {
	// Audit verifies a copy of the platform's audit log whose entries alter has changed. It
	// returns how many entries the copy has, and whether it is found to be as it was written.
	Audit(ctx context.Context, alter func(entries [][]byte) [][]byte) (entries int64, sound bool, err error)
	// Promote evaluates a kept agent, without a judge, and gives it the status active if it has
	// passed. It fails if the agent cannot be evaluated, not if it does not pass.
	Promote(ctx context.Context, agent string) error
}

// Summary sums up a run.
type Summary struct {
	conformance.Tally
	Platform string   // from its manifest
	Level    string   // the manifest's claim
	InForce  string   // digest of its settings, see [aaif.InForce]
	Needs    []string // what the operator has to write into which table before all rows about runs can be tried
	Left     []string // items left there: agents and states; with Target.Remove those that could not be removed
}

// Corpus names the rows of this package in conformance reports (AAIF-6-20), and
// CorpusWithoutRuns those that need no run of an agent.
const (
	Corpus            = "satchel-conformance-aaif-3.4"
	CorpusWithoutRuns = Corpus + "-without-runs"
)

// Suite sums up a run that began at a time, for a conformance report. It counts all rows
// that concern the platform; rows that were not tried did not pass. Where the operator has
// not let all runs of agents be tried, the rows about them are of neither count unless they
// failed.
func (s Summary) Suite(began time.Time) aaif.Suite {
	suite := aaif.Suite{Corpus: Corpus, Passed: s.Counts[conformance.Pass], RanAt: began}
	for _, o := range [...]conformance.Outcome{conformance.Pass, conformance.Fail, conformance.Blocked, conformance.Warn, conformance.NotTried} {
		suite.Total += s.Counts[o]
	}
	if len(s.Needs) == 0 {
		return suite
	}
	suite.Corpus = CorpusWithoutRuns
	for _, row := range s.Rows {
		switch about := isRunRow(row.ID); {
		case about && row.Outcome == conformance.Pass:
			suite.Passed--
			suite.Total--
		case about && row.Outcome == conformance.NotTried:
			suite.Total--
		}
	}
	return suite
}

// Shown returns the rows that passed, as the duties of a consumer name them. Those about runs
// are left out where [Summary.Suite] leaves them out.
func (s Summary) Shown() []string {
	var all []string
	for _, row := range s.Rows {
		if row.Outcome == conformance.Pass && (len(s.Needs) == 0 || !isRunRow(row.ID)) {
			all = append(all, row.ID)
		}
	}
	return all
}

// Levels returns the levels of a consumer whose rows all passed, the lowest first (AAIF-6-15).
func (s Summary) Levels() []aaif.Level {
	passed := s.Shown()
	return aaif.ConsumerLevels(func(rule string) bool { return slices.Contains(passed, rule) }).Held
}

// isRunRow reports whether a row cannot be tried without a run of an agent.
func isRunRow(id string) bool {
	return id != "AAIF-9-9" && slices.ContainsFunc(slices.Concat(runChecks(), portableChecks(), teamChecks(), observableChecks(), enterpriseChecks(), continuedChecks()), func(c check) bool { return c.ID == id })
}
