package aimemconform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/trial"
)

// check is how to try a row. The error says what is wrong; nil, that the row is
// kept. See also [trial.Skipped].
type check struct {
	id  string
	try func(*run) error
}

// checks returns every row that can be tried over HTTP, in the order in which they
// are tried: those that judge what others have seen are late, and erasure is last.
func checks() []check {
	return slices.Concat(
		httpChecks(), envelopeChecks(), chunkChecks(), graphChecks(), embeddingChecks(), checksumChecks(), againChecks(),
		importChecks(), exportChecks(), streamChecks(), signatureChecks(), levelChecks(), lateChecks(), eraseChecks(),
	)
}

// ErrToken is wrapped by the error of a run without a token that may export.
var ErrToken = errors.New("the run needs a token that may export and import")

// run is one run in progress.
type run struct {
	Target
	ctx      context.Context
	base     string
	nonce    string
	producer string // namespace of the bundles that the run sends
	serial   int    // of what is sent, so that no two chunks are alike
	wrote    int
	erased   bool
	first    canon.Value // the first export
	home     string      // namespace of the server's exports
	seen     observed
	trial.Log
}

// Run tries every row and reports each as soon as it is known. The error is for a
// run that could not take place: an address that is none, a server that does not
// answer, a token that opens nothing, a context that ended.
func Run(ctx context.Context, t Target, report func(Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	known := map[string]row{}
	for _, w := range rows() {
		known[w.id] = w
	}
	for _, c := range checks() {
		if w := known[c.id]; r.wants(c.id) && ctx.Err() == nil {
			r.conclude(w, c)
		}
	}
	for _, a := range absent() {
		if w := known[a.id]; r.wants(a.id) && ctx.Err() == nil {
			r.Note(Result{ID: a.id, Keyword: w.keyword, Level: w.level, Title: w.title, Outcome: NotApplicable, Message: a.reason})
		}
	}
	return r.summary(), ctx.Err()
}

// begin asks for an export, before anything else.
func begin(ctx context.Context, t Target) (*run, error) {
	if t.Now == nil || t.Random == nil {
		return nil, errors.New("Target.Now and Target.Random are required")
	}
	base, err := trial.Base(t.URL)
	if err != nil {
		return nil, err
	}
	if t.Token == "" {
		return nil, fmt.Errorf("%w: there is none", ErrToken)
	}
	if t.Client == nil {
		t.Client = http.DefaultClient
	}
	r := &run{Target: t, ctx: ctx, base: base, seen: newObserved()}
	if r.nonce, err = trial.Word(t.Random); err != nil {
		return nil, err
	}
	r.producer = "conformance-" + r.nonce
	a := r.get(exportPath)
	if a.err == nil && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden) {
		return nil, fmt.Errorf("%w: with the one it is given, the export answers %d", ErrToken, a.status)
	}
	if r.first, err = a.bundle(); err != nil {
		return nil, fmt.Errorf("the server does not export: %w", err)
	}
	r.home = r.first.Get("producer").Text()
	return r, nil
}

// wants reports whether a row is to be tried.
func (r *run) wants(id string) bool {
	return trial.Wants(r.Only, id)
}

// conclude tries one row.
func (r *run) conclude(w row, c check) {
	began := r.Now()
	err := c.try(r)
	if r.ctx.Err() != nil {
		return
	}
	result := Result{ID: c.id, Keyword: w.keyword, Level: w.level, Title: w.title, Took: r.Now().Sub(began)}
	result.Outcome, result.Message = trial.Judge(err, w.keyword, r.Strict)
	r.Note(result)
}

// notTried ends a row for which the run lacks something.
func notTried(reason string) error { return trial.Lacks(reason) }

// notOffered ends a row about what a server need not offer.
func notOffered(what string) error { return trial.NotOffered(what) }

func (r *run) summary() Summary {
	return Summary{Tally: r.Tally(r.Only), Producer: r.home, Wrote: r.wrote, Left: r.wrote > 0 && !r.erased}
}

func first(errs ...error) error { return trial.First(errs...) }
