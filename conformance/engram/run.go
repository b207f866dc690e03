package engramsuite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// check is the way to try a row of a run.
type check conformance.Check[*run]

// checks returns every row that a run can try over HTTP, in the order of the run. Rows that
// judge the evidence of others come last.
func checks() []check {
	return slices.Concat(
		accessChecks(), errorChecks(), discoveryChecks(), contextChecks(), scopeChecks(), signatureChecks(),
		correctionChecks(), diffChecks(), handChecks(), envelopeChecks(), lateChecks(), tierChecks(),
	)
}

// ErrToken is wrapped by the error of a run without a token for the context.
var ErrToken = errors.New("the run needs a token for the whole context")

// run is one run in progress.
type run struct {
	Target
	ctx    context.Context
	client conformance.Client
	nonce  string
	first  engram.Document
	seen   observed
	conformance.Log
	stated     map[engram.Category]string // ids of the run's own beliefs
	unstated   error                      // why the run has none
	proposed   map[string]answer          // by belief: the answer to its one proposal
	waiting    []string                   // undecided corrections
	made       []string                   // ids of everything that the run stated
	spare      int                        // the number of spare beliefs
	before     map[string]engram.Document // by belief: the context before its one proposal
	corrected  bool                       // beliefs of two categories have changes
	turnedAway bool                       // the run has requested refusals of every kind
}

// Run tries every row and reports each as soon as it is known. It fails if the run could not
// take place: the address is invalid, the store does not answer, the token gives no access,
// or the context ended.
func Run(ctx context.Context, t Target, report func(conformance.Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	r.course().Run(ctx, r, &r.Log)
	r.clean()
	return r.summary(), ctx.Err()
}

// course counts rows of IMPLIED as rows of MUST: only SHOULD and MAY warn.
func (r *run) course() conformance.Course[*run, check] {
	return conformance.Course[*run, check]{Rows: rows(), Checks: checks(), Absent: absent(), Only: r.Only, Strict: r.Strict, Implied: true, Now: r.Now}
}

// begin fetches the context, before anything else.
func begin(ctx context.Context, t Target) (*run, error) {
	base, word, err := conformance.Start(t.URL, t.Token, ErrToken, t.Now, t.Random)
	if err != nil {
		return nil, err
	}
	t.Client, t.Issuer = cmp.Or(t.Client, http.DefaultClient), cmp.Or(t.Issuer, base)
	r := &run{Target: t, ctx: ctx, client: newClient(t, base), nonce: word, seen: newObserved(), stated: map[engram.Category]string{}, proposed: map[string]answer{}, before: map[string]engram.Document{}}
	a := r.get("")
	if a.Err == nil && (a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden) {
		return nil, fmt.Errorf("%w: with the one it is given, the context answers %d", ErrToken, a.Status)
	}
	if err := a.Is(http.StatusOK); err != nil {
		return nil, fmt.Errorf("the store does not give the context: %w", err)
	}
	if r.first, _, err = engram.Parse(a.Body, engram.ReadOptions{}); err != nil {
		r.first = engram.Document{} // the rows report its faults
	}
	return r, nil
}

func (r *run) summary() Summary {
	return Summary{Tally: r.Tally(r.Only), Issuer: r.first.Issuer, Tier: r.tier(), Left: r.waiting}
}

// Tries reports whether a run has an outcome for a row, or for any row of a section, named
// as in [Target].Only.
func Tries(only string) bool { return conformance.Names(rows(), only) }

// rows returns the requirements. Levels are L1 Reader, L2 Writer, L3 Full.
func rows() []conformance.Result { return conformance.Requirements("engram") }

// Rows returns the list of requirements. Rows that a run cannot try are not applicable, with
// the reason; the others have no outcome yet.
func Rows() []conformance.Result { return conformance.Explained(rows(), absent()) }
