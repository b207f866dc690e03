package aimemsuite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// check is the way to try a row of a run.
type check conformance.Check[*run]

// checks returns every row that a run can try over HTTP, in the order of the run. Rows that
// judge the evidence of others come late, and erasure comes last.
func checks() []check {
	return slices.Concat(
		httpChecks(), envelopeChecks(), chunkChecks(), graphChecks(), embeddingChecks(), checksumChecks(), againChecks(),
		importChecks(), exportChecks(), streamChecks(), signatureChecks(), longChecks(), levelChecks(), lateChecks(), eraseChecks(),
	)
}

// ErrToken is wrapped by the error of a run without a token that may export.
var ErrToken = errors.New("the run needs a token that may export and import")

// run is one run in progress.
type run struct {
	Target
	ctx      context.Context
	client   conformance.Client
	nonce    string
	producer string // namespace of the bundles that the run sends
	serial   int    // of the bundles, so that no two chunks are alike
	wrote    int
	erased   bool
	first    canon.Value // the first export
	home     string      // namespace of the server's exports
	seen     observed
	conformance.Log
}

// Run tries every row and reports each as soon as it is known. It fails if the run could not
// take place: the address is invalid, the server does not answer, the token gives no access,
// or the context ended.
func Run(ctx context.Context, t Target, report func(conformance.Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	r.course().Run(ctx, r, &r.Log)
	return r.summary(), ctx.Err()
}

func (r *run) course() conformance.Course[*run, check] {
	return conformance.Course[*run, check]{Rows: rows(), Checks: checks(), Absent: absent(), Only: r.Only, Strict: r.Strict, Now: r.Now}
}

// prepare returns a run that has sent nothing yet.
func prepare(ctx context.Context, t Target) (*run, error) {
	base, word, err := conformance.Start(t.URL, t.Token, ErrToken, t.Now, t.Random)
	if err != nil {
		return nil, err
	}
	t.Client = cmp.Or(t.Client, http.DefaultClient)
	r := &run{Target: t, ctx: ctx, client: newClient(t, base), nonce: word, seen: newObserved()}
	r.producer = "conformance-" + r.nonce
	return r, nil
}

// begin fetches an export, before anything else.
func begin(ctx context.Context, t Target) (*run, error) {
	r, err := prepare(ctx, t)
	if err != nil {
		return nil, err
	}
	a := r.get(exportPath)
	if a.Err == nil && (a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden) {
		return nil, fmt.Errorf("%w: with the one it is given, the export answers %d", ErrToken, a.Status)
	}
	if r.first, err = a.Object(); err != nil {
		return nil, fmt.Errorf("the server does not export: %w", err)
	}
	r.home = r.first.Get("producer").Text()
	return r, nil
}

// notTried ends a row for which the run lacks something.
func notTried(reason string) error { return conformance.Lacks(reason) }

// notOffered ends a row about something that a server need not offer.
func notOffered(what string) error { return conformance.NotOffered(what) }

func (r *run) summary() Summary {
	return Summary{Tally: r.Tally(r.Only), Producer: r.home, Wrote: r.wrote, Left: r.wrote > 0 && !r.erased}
}

func first(errs ...error) error { return conformance.First(errs...) }

// rows returns the requirements. Levels are L1 Producer, L2 Consumer, L3 Bidirectional. The
// reports of this suite name no sections.
func rows() []conformance.Result {
	all := conformance.Requirements("aimem")
	for i := range all {
		all[i].Section = ""
	}
	return all
}

// Rows returns every requirement. Rows that a run cannot try over HTTP are NotApplicable,
// with the reason.
func Rows() []conformance.Result { return conformance.Explained(rows(), absent()) }

// Tries reports whether a run has an outcome for a row, or for any row of a section, named
// as in [Target].Only.
func Tries(only string) bool { return conformance.Names(rows(), only) }
