package aaifconform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/trial"
)

// check is how to try a row. The error says what is wrong; nil, that the row is kept.
type check struct {
	id  string
	try func(*run) error
}

// checks returns every row that can be tried, in the order in which they are tried.
func checks() []check {
	return slices.Concat(discoverChecks(), intakeChecks(), signatureChecks(), capabilityChecks(), encodingChecks(), plainChecks(), migrateChecks(), tokenChecks(),
		streamChecks(), levelChecks())
}

// ErrToken is wrapped by the error of a run whose token does not let it in.
var ErrToken = errors.New("the run needs a token that may have definitions taken in")

// run is one run in progress.
type run struct {
	Target
	ctx       context.Context
	base      string
	nonce     string
	serial    int
	validator *aaif.Validator
	manifest  answer
	offer     aaif.Manifest
	intake    string // path where definitions go
	agentID   string
	agent     memo     // it is there
	moving    memo     // states are let in
	streaming memo     // so are streams
	moved     string   // id of the state that was let in first
	left      []string // on the platform
	trial.Log
}

// memo is what became of something that is done once.
type memo struct {
	done bool
	err  error
}

func (m *memo) once(do func() error) error {
	if !m.done {
		m.done, m.err = true, do()
	}
	return m.err
}

// Run tries every row and reports each as soon as it is known. The error is for a run
// that could not take place: an address that is none, a platform that does not answer,
// a token that opens nothing, a context that ended.
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
		if trial.Wants(r.Only, c.id) && ctx.Err() == nil {
			r.conclude(known[c.id], c)
		}
	}
	for _, w := range rows() {
		if w.absent != "" && trial.Wants(r.Only, w.id) && ctx.Err() == nil {
			n := w.result()
			n.Outcome, n.Message = trial.NotApplicable, w.absent
			r.Note(n)
		}
	}
	return Summary{Tally: r.Tally(r.Only), Platform: r.offer.Platform.Name, Level: string(r.offer.Platform.Level), Left: r.left}, ctx.Err()
}

// begin reads the manifest, and sees whether the token opens anything.
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
	r := &run{Target: t.filled(), ctx: ctx, base: base}
	if r.validator, err = aaif.NewValidator(nil); err != nil {
		return nil, err
	}
	if r.nonce, err = trial.Word(t.Random); err != nil {
		return nil, err
	}
	if r.agentID, err = r.newID(); err != nil {
		return nil, err
	}
	if r.manifest = r.open(manifestPath); r.manifest.err != nil {
		return nil, fmt.Errorf("the platform does not answer: %w", r.manifest.err)
	}
	r.offer = aaif.ReadManifest(r.manifest.value)
	r.intake = r.intakePath()
	if a := r.get(r.intake); a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
		return nil, fmt.Errorf("%w: with the one it is given, the platform answers %d", ErrToken, a.status)
	}
	return r, nil
}

// conclude tries one row.
func (r *run) conclude(w row, c check) {
	began := r.Now()
	err := c.try(r)
	if r.ctx.Err() != nil {
		return
	}
	result := w.result()
	result.Took = r.Now().Sub(began)
	result.Outcome, result.Message = trial.Judge(err, w.keyword, r.Strict)
	r.Note(result)
}

// blocked ends a row that cannot be tried because of what does not work.
func blocked(err error) error {
	if trial.IsSkipped(err) {
		return err
	}
	return &trial.Skipped{Outcome: trial.Blocked, Reason: err.Error()}
}

// Tries reports whether a run has something to say of a row, or of any row of a section,
// that is named as in [Target].Only.
func Tries(only string) bool {
	return slices.ContainsFunc(rows(), func(w row) bool { return trial.Wants([]string{only}, w.id) })
}
