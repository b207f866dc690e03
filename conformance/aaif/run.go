package aaifsuite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/conformance"
)

// check is the way to try a row of a run.
type check conformance.Check[*run]

// checks returns every row that a run can try, in the order of the run.
func checks() []check {
	return slices.Concat(discoverChecks(), intakeChecks(), signatureChecks(), capabilityChecks(), encodingChecks(), plainChecks(), migrateChecks(), tokenChecks(),
		streamChecks(), runChecks(), portableChecks(), teamChecks(), observableChecks(), enterpriseChecks(), continuedChecks(), levelChecks())
}

// ErrToken is wrapped by the error of a run whose token the platform does not accept.
var ErrToken = errors.New("the run needs a token that may have definitions taken in")

// run is one run in progress.
type run struct {
	Target
	ctx       context.Context
	client    conformance.Client
	nonce     string
	serial    int
	validator *aaif.Validator
	manifest  answer
	offer     aaif.Manifest
	intake    string // path of the intake
	agentID   string
	signs     bool   // the platform accepts signed definitions only
	signedID  string // of the agent with signed definitions, which may not become unsigned
	agent     memo   // the definition is there
	moving    memo   // the platform accepts states
	streaming memo   // the platform accepts streams
	moved     string // id of the first accepted state
	playing   memo   // model and tools are played
	world     *world // which plays them
	running   memo   // the platform runs the agent
	first     performance
	ids       map[string]string // of the agents that work together, by name
	allow     []string          // what the operator has to allow before more can be tried
	left      []string          // items on the platform
	conformance.Log
}

// memo is the result of something that a run does once.
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

// Run tries every row and reports each as soon as it is known. It fails if the run could not
// take place: the address is invalid, the platform does not answer, the token gives no
// access, or the context ended.
func Run(ctx context.Context, t Target, report func(conformance.Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	defer func() {
		if r.world != nil {
			r.world.close()
		}
	}()
	r.course().Run(ctx, r, &r.Log)
	if r.Remove {
		r.clear()
	}
	return Summary{Tally: r.Tally(r.Only), Platform: r.offer.Platform.Name, Level: string(r.offer.Platform.Level), InForce: aaif.InForce(r.manifest.Value), Left: r.left, Needs: r.allow}, ctx.Err()
}

func (r *run) course() conformance.Course[*run, check] {
	return conformance.Course[*run, check]{Rows: rows(), Checks: checks(), Absent: absent(), Only: r.Only, Strict: r.Strict, Now: r.Now}
}

// begin reads the manifest and checks that the token gives access.
func begin(ctx context.Context, t Target) (*run, error) {
	base, word, err := conformance.Start(t.URL, t.Token, ErrToken, t.Now, t.Random)
	if err != nil {
		return nil, err
	}
	t.Client = cmp.Or(t.Client, http.DefaultClient)
	r := &run{Target: t.filled(), ctx: ctx, client: newClient(t, base), nonce: word}
	if r.validator, err = aaif.NewValidator(nil); err != nil {
		return nil, err
	}
	for _, id := range []*string{&r.agentID, &r.signedID} {
		if *id, err = r.newID(); err != nil {
			return nil, err
		}
	}
	if r.manifest = r.open(manifestPath); r.manifest.Err != nil {
		return nil, fmt.Errorf("the platform does not answer: %w", r.manifest.Err)
	}
	r.offer = aaif.ReadManifest(r.manifest.Value)
	r.intake = r.intakePath()
	if a := r.get(r.intake); a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden {
		return nil, fmt.Errorf("%w: with the one it is given, the platform answers %d", ErrToken, a.Status)
	}
	return r, nil
}

// blocked ends a row because something that it needs does not work.
func blocked(err error) error {
	if conformance.IsSkipped(err) {
		return err
	}
	return &conformance.Skipped{Outcome: conformance.Blocked, Reason: err.Error()}
}

// Tries reports whether a run has an outcome for a row, or for any row of a section, named
// as in [Target].Only.
func Tries(only string) bool { return conformance.Names(rows(), only) }
