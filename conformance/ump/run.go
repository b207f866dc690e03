package umpsuite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// check is the way to try a row of a run.
type check conformance.Check[*run]

// checks returns every row that a run can try over HTTP, in the order of the run. Rows that
// judge the evidence of others come last.
func checks() []check {
	return slices.Concat(
		preambleChecks(), recordChecks(), scopeChecks(), validityChecks(), hintChecks(), consentChecks(), integrityChecks(),
		capabilitiesChecks(), recallChecks(), rememberChecks(), getChecks(), reviseChecks(), forgetChecks(), errorChecks(), fullChecks(),
		httpChecks(), fileChecks(), identityChecks(), tokenChecks(), frameChecks(), canonicalChecks(), idChecks(), markdownChecks(), levelChecks(), editionChecks(), lateChecks(),
	)
}

// lateChecks judge the evidence of other rows.
func lateChecks() []check {
	return []check{
		{"UMP-1-3", names},
		{"UMP-2-3", lasting},
		{"UMP-2-13", timeMember},
		{"UMP-2-24", provenanceThere},
		{"UMP-2-26", integrityThere},
		{"UMP-2.2-2", ownerIsDID},
		{"UMP-2.2-6", otherOwners},
		{"UMP-2.7-2", retentionEmpties},
		{"UMP-2.7-3", retentionAtOnce},
		{"UMP-2.8-1", hashOfRecord},
		{"UMP-2.8-2", integrityWhole},
		{"UMP-2.8-3", ownerSigns},
		{"UMP-3-2", envelopes},
		{"UMP-3.1-5", signalsAnnounced},
		{"UMP-3.2-3", hitShape},
		{"UMP-3.2-4", bestFirst},
		{"UMP-3.2-5", signalRanges},
		{"UMP-3.2-11", nothingElse},
		{"UMP-3.3-6", outcomeSaid},
		{"UMP-3.3-9", malformedDraft},
		{"UMP-3.4-2", unknownID},
		{"UMP-3.6-5", keptUntilRetention},
		{"UMP-3.7-1", everyCode},
		{"UMP-3.7-2", badCredentials},
		{"UMP-3.7-3", otherScope},
		{"UMP-3.7-5", throttled},
		{"UMP-3.7-6", noContentTold},
		{"UMP-4.2-1", recallRoute},
		{"UMP-4.2-2", rememberRoute},
		{"UMP-4.2-3", getRoute},
		{"UMP-4.2-4", reviseRoute},
		{"UMP-4.2-5", forgetRoute},
		{"UMP-4.2-6", capabilitiesOpen},
		{"UMP-4.2-8", jsonBothWays},
		{"UMP-4.2-9", fullRoutes},
		{"UMP-4.3-7", sameFile},
		{"UMP-4.3-8", fileObeys},
		{"UMP-6.1-4", ownersKey},
		{"UMP-7-3", levelOne},
		{"UMP-7-4", levelTwo},
		{"UMP-7-5", levelThree},
		{"UMP-8-2", noVectors},
	}
}

// run is one run in progress.
type run struct {
	Target
	ctx     context.Context
	client  conformance.Client // base URL without /ump
	level   int
	offered canon.Value // the first answer of capabilities
	other   keys.Private
	nonce   string
	words   int // the number of words drawn
	made    []memory.ID
	seen    observed
	used    map[string]bool // operations that the current row has called
	conformance.Log
	fixtures
}

// Run tries every row and reports each as soon as it is known. It fails if the run could not
// take place: the address is invalid, the server does not answer, or the context ended.
func Run(ctx context.Context, t Target, report func(conformance.Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	prepare(r)
	r.course().Run(ctx, r, &r.Log)
	left := r.clean()
	return r.summary(left), ctx.Err()
}

// rows returns the requirements. Levels are L0 portable record, L1 core, L2 standard, L3 full.
func rows() []conformance.Result { return conformance.Requirements("ump") }

// Rows returns the list of requirements. Rows that a run cannot try are not applicable, with
// the reason; the others have no outcome yet.
func Rows() []conformance.Result { return conformance.Explained(rows(), absent()) }

func (r *run) course() conformance.Course[*run, check] {
	c := conformance.Course[*run, check]{Rows: rows(), Absent: absent(), Only: r.Only, Strict: r.Strict, Now: r.Now}
	levels := map[string]string{}
	for _, row := range c.Rows {
		levels[row.ID] = row.Level
	}
	for _, one := range checks() {
		c.Checks = append(c.Checks, check{one.ID, func(r *run) error { return conclude(r, one, levels[one.ID]) }})
	}
	return c
}

// eventTime is the default of Target.Patience.
const eventTime = 5 * time.Second

// begin asks for the server's capabilities, before anything else (UMP-3.1-9).
func begin(ctx context.Context, t Target) (*run, error) {
	if t.Now == nil || t.Random == nil {
		return nil, errors.New("Target.Now and Target.Random are required")
	}
	base, err := baseOf(t.URL)
	if err != nil {
		return nil, err
	}
	if t.Client == nil {
		t.Client = http.DefaultClient
	}
	if t.Patience == 0 {
		t.Patience = eventTime
	}
	r := &run{Target: t, ctx: ctx, client: newClient(t, base), used: map[string]bool{}, seen: newObserved()}
	if err := r.draw(); err != nil {
		return nil, err
	}
	if r.offered, err = r.offers(); err != nil {
		return nil, fmt.Errorf("the server does not say what it offers: %w", err)
	}
	if r.level, err = levelOf(t.Level, r.offered); err != nil {
		return nil, err
	}
	if err := identify(r); err != nil {
		return nil, err
	}
	return r, admitted(r)
}

// offers asks for capabilities: without a token, as anybody may (UMP-4.2-6), and with the
// token if the server refuses that.
func (r *run) offers() (canon.Value, error) {
	v, err := r.call("", http.MethodGet, "/ump/capabilities", nil).ok()
	if err != nil && r.Token != "" {
		v, err = r.call(r.Token, http.MethodGet, "/ump/capabilities", nil).ok()
	}
	return v, err
}

// draw makes the random values of a run.
func (r *run) draw() (err error) {
	if r.other, err = keys.Generate(r.Random); err != nil {
		return err
	}
	if r.nonce, err = conformance.Word(r.Random); err != nil {
		return err
	}
	if r.Project == "" {
		r.Project = "conformance-" + r.nonce
	}
	return nil
}

// levelOf reads the level to try: the requested level, else the server's own.
func levelOf(asked string, offered canon.Value) (int, error) {
	if asked == "" {
		asked = offered.Get("conformance").Text()
	}
	n := slices.Index([]string{"L0", "L1", "L2", "L3"}, asked)
	if n < 0 {
		return 0, errors.New("the server names no level from L0 to L3; say which is to be tried")
	}
	return n, nil
}

// conclude tries a row if it concerns the server. The row may fail because the server does
// not write, or because an operation does not work at all. The error then says so.
func conclude(r *run, c check, level string) error {
	if level, _ := levelOf(level, canon.Value{}); level > r.level {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: fmt.Sprintf("the server does not claim L%d", level)}
	}
	if !r.concerns(c.ID) {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the server speaks UMP " + r.edition()}
	}
	clear(r.used)
	err := c.Try(r)
	if err == nil || isSkipped(err) || r.ctx.Err() != nil {
		return err
	}
	if r.readsOnly() && c.ID != "UMP-3.1-7" && (r.used["remember"] || r.used["revise"] || r.used["forget"]) {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "the server does not write, and this needs something written"}
	}
	_, certain := errors.AsType[*sure](err)
	if op := brokenFor(r, c); op != "" && !certain {
		return &conformance.Skipped{Outcome: conformance.Blocked, Reason: op + " does not work, and without it nothing can be said"}
	}
	return err
}

// readsOnly reports whether the server says that it does not write, and indeed does not.
func (r *run) readsOnly() bool {
	said := r.offered.Get("writable")
	return said.Type() == canon.TypeBool && !said.True() && r.probe("remember") != nil
}

// isSkipped reports whether an error says that the run could not try something.
func isSkipped(err error) bool { return conformance.IsSkipped(err) }

// sure is an error that counts even if an operation does not work otherwise.
type sure struct{ error }

// notTried ends a row for which the run lacks something.
func notTried(reason string) error { return conformance.Lacks(reason) }

// notOffered ends a row about something that a server need not offer.
func notOffered(what string) error { return conformance.NotOffered(what) }

func (r *run) summary(left []memory.ID) Summary {
	server := r.offered.Get("server")
	return Summary{
		Tally: r.Tally(r.Only), Edition: r.edition(), Level: fmt.Sprintf("L%d", r.level), Owner: r.Owner, Left: left, Extra: r.seen.strangers, Before: r.seen.before,
		Server: strings.TrimSpace(server.Get("name").Text() + " " + server.Get("version").Text()),
	}
}

// wait waits for a time.
func (r *run) wait(d time.Duration) {
	conformance.Pause(r.ctx, d)
}
