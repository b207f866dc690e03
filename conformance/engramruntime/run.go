package engramruntime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// check is the way to try a row. The error says what is wrong; nil means that the runtime
// keeps the row. See also [conformance.Skipped].
type check struct {
	id    string
	level Level
	try   func(*run) error
}

// checks returns every row that a run can try, in the order of the run.
func checks() []check {
	return slices.Concat(startChecks(), envelopeChecks(), versionChecks(), signatureChecks(), keyChecks(), furtherChecks(), levelChecks())
}

// ErrRuntime is wrapped by the error of a run whose runtime does not use the context of a
// store that does everything right.
var ErrRuntime = errors.New("the runtime does not print the context of a store that does everything right")

// run is one run in progress.
type run struct {
	Target
	ctx     context.Context
	token   string
	mark    string // a word in everything personal
	began   time.Time
	pairs   map[string]keys.Private // keys of issuers, by kid
	first   *play                   // with a store that does everything right
	strange []string                // requests that no Reader sends
	levels  map[string]Level        // by row
	conformance.Log
}

// Run tries every row and reports each as soon as it is known. It fails if the run could not
// take place: the runtime does not start or never uses a context, or the context of the run
// ended.
func Run(ctx context.Context, t Target, report func(conformance.Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r.course(stop).Run(ctx, r, &r.Log)
	if ctx.Err() != nil {
		return Summary{}, context.Cause(ctx)
	}
	return Summary{Tally: r.Tally(r.Only), Level: r.reached(), Tier: r.tierReached()}, nil
}

// course calls stop if a case cannot be played. For runtimes, rows of IMPLIED count too:
// most of Part 5 is a program.
func (r *run) course(stop func(error)) conformance.Course[*run, conformance.Check[*run]] {
	c := conformance.Course[*run, conformance.Check[*run]]{
		Rows: conformance.Requirements("engram"), Absent: absent(), Only: r.Only, Strict: r.Strict, Implied: true, Now: r.Now,
	}
	for _, row := range checks() {
		c.Checks = append(c.Checks, conformance.Check[*run]{ID: row.id, Try: func(r *run) error {
			if row.level == Full && r.Level == Minimal {
				return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "it is asked of a full runtime"}
			}
			err := row.try(r)
			if _, unplayed := errors.AsType[*noPlay](err); unplayed {
				stop(err)
			}
			return err
		}})
	}
	return c
}

// begin draws the secrets of the run and starts the runtime once.
func begin(ctx context.Context, t Target) (*run, error) {
	if t.Runtime == nil || t.Now == nil || t.Random == nil {
		return nil, errors.New("Target.Runtime, Target.Now and Target.Random are required")
	}
	if t.Level == "" {
		t.Level = Full
	}
	r := &run{Target: t, ctx: ctx, began: t.Now().UTC().Truncate(time.Second), pairs: map[string]keys.Private{}, levels: map[string]Level{}}
	for _, c := range checks() {
		r.levels[c.id] = c.level
	}
	if err := r.draw(); err != nil {
		return nil, err
	}
	p, err := r.play(scene{})
	if err != nil {
		return nil, err
	}
	if err := p.used(p.value("mail_style")); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRuntime, err)
	}
	r.first = p
	return r, nil
}

// draw makes the issuers' keys, and a random token and word.
func (r *run) draw() error {
	for _, to := range []*string{&r.mark, &r.token} {
		id, err := engram.NewID(r.Random)
		if err != nil {
			return err
		}
		*to = strings.ReplaceAll(id, "-", "")
	}
	for _, kid := range []string{current, previous, foreign} {
		seed := make([]byte, 32)
		if _, err := io.ReadFull(r.Random, seed); err != nil {
			return fmt.Errorf("draw a key: %w", err)
		}
		key, err := keys.FromSeed(seed)
		if err != nil {
			return err
		}
		r.pairs[kid] = key
	}
	return nil
}

// Tries reports whether a run has an outcome for a row, or for any row of a section, named
// as in [Target].Only.
func Tries(only string) bool {
	wanted := func(id string) bool { return conformance.Wants([]string{only}, id) }
	return slices.ContainsFunc(checks(), func(c check) bool { return wanted(c.id) }) ||
		slices.ContainsFunc(absent(), func(a conformance.Absence) bool { return wanted(a[0]) })
}
