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

// The keywords of rows.
const (
	must    = "MUST"
	mustNot = "MUST NOT"
	should  = "SHOULD"
	may     = "MAY"
	implied = "IMPLIED"
)

// check is a row and how to try it. The error of try says what is wrong; nil,
// that the row is kept. See also [conformance.Skipped].
type check struct {
	id, keyword, level, title string
	try                       func(*run) error
	// late rows judge what others have seen, and come last.
	late bool
}

// checks returns every row that can be tried over HTTP.
func checks() []check {
	return slices.Concat(
		preambleChecks(), recordChecks(), scopeChecks(), validityChecks(), hintChecks(), consentChecks(), integrityChecks(),
		capabilitiesChecks(), recallChecks(), rememberChecks(), getChecks(), reviseChecks(), forgetChecks(), errorChecks(), fullChecks(),
		httpChecks(), fileChecks(), identityChecks(), tokenChecks(), frameChecks(), canonicalChecks(), idChecks(), markdownChecks(), levelChecks(), editionChecks(),
	)
}

// run is one run in progress.
type run struct {
	Target
	ctx     context.Context
	base    string // of the server, without /ump
	level   int
	offered canon.Value // what capabilities answered first
	other   keys.Private
	nonce   string
	words   int // given out by word
	made    []memory.ID
	seen    observed
	used    map[string]bool // operations the row at hand has called
	conformance.Log
	fixtures
}

// Run tries every row and reports each as soon as it is known. The error is for
// a run that could not take place: an address that is none, a server that does
// not answer, a context that ended.
func Run(ctx context.Context, t Target, report func(Result)) (Summary, error) {
	r, err := begin(ctx, t)
	if err != nil {
		return Summary{}, err
	}
	r.Report = report
	r.prepare()
	for _, late := range []bool{false, true} {
		for _, c := range checks() {
			if c.late == late && r.wants(c.id) {
				r.conclude(c)
			}
		}
	}
	if err := ctx.Err(); err == nil {
		for _, a := range absent() {
			if r.wants(a.id) {
				r.note(Result{ID: a.id, Keyword: a.keyword, Level: a.level, Title: a.title, Outcome: NotApplicable, Message: a.reason})
			}
		}
	}
	left := r.clean()
	return r.summary(left), ctx.Err()
}

// eventTime is the default of Target.Patience.
const eventTime = 5 * time.Second

// begin asks the server what it offers, before anything else (UMP-3.1-9).
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
	r := &run{Target: t, ctx: ctx, base: base, used: map[string]bool{}, seen: newObserved()}
	if err := r.draw(); err != nil {
		return nil, err
	}
	if r.offered, err = r.offers(); err != nil {
		return nil, fmt.Errorf("the server does not say what it offers: %w", err)
	}
	if r.level, err = levelOf(t.Level, r.offered); err != nil {
		return nil, err
	}
	if err := r.identify(); err != nil {
		return nil, err
	}
	return r, r.admitted()
}

// offers asks for capabilities: without a token, as anybody may (UMP-4.2-6), and
// where that is refused with it.
func (r *run) offers() (canon.Value, error) {
	v, err := r.call("", http.MethodGet, "/ump/capabilities", nil).ok()
	if err != nil && r.Token != "" {
		v, err = r.call(r.Token, http.MethodGet, "/ump/capabilities", nil).ok()
	}
	return v, err
}

// draw draws what sets this run apart from others.
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

// levelOf reads the level to be tried: as asked, else as the server says.
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

// wants reports whether a row is to be tried.
func (r *run) wants(id string) bool {
	return conformance.Wants(r.Only, id)
}

// conclude tries one row, unless the run has been called off.
func (r *run) conclude(c check) {
	if r.ctx.Err() != nil {
		return
	}
	result := Result{ID: c.id, Keyword: c.keyword, Level: c.level, Title: c.title}
	if level, _ := levelOf(c.level, canon.Value{}); level > r.level {
		result.Outcome, result.Message = NotApplicable, "the server does not claim "+c.level
		r.note(result)
		return
	}
	if !r.concerns(c.id) {
		result.Outcome, result.Message = NotApplicable, "the server speaks UMP "+r.edition()
		r.note(result)
		return
	}
	began := r.Now()
	clear(r.used)
	err := c.try(r)
	if r.ctx.Err() != nil {
		return
	}
	result.Outcome, result.Message = r.judge(c, err)
	result.Took = r.Now().Sub(began)
	r.note(result)
}

func (r *run) note(result Result) {
	result.Section = sectionOf(result.ID)
	r.Note(result)
}

// sectionOf returns the section a row belongs to: "3.2" of UMP-3.2-7.
func sectionOf(id string) string {
	section := strings.TrimPrefix(strings.TrimPrefix(id, laterRows), "UMP-")
	if i := strings.LastIndexByte(section, '-'); i >= 0 {
		section = section[:i]
	}
	return section
}

// judge says what the error of a row means.
func (r *run) judge(c check, err error) (Outcome, string) {
	if err == nil || isSkipped(err) {
		return conformance.Judge(err, c.keyword, r.Strict)
	}
	if r.readsOnly() && c.id != "UMP-3.1-7" && (r.used["remember"] || r.used["revise"] || r.used["forget"]) {
		return NotApplicable, "the server does not write, and this needs something written"
	}
	_, certain := errors.AsType[*sure](err)
	if op := r.brokenFor(c); op != "" && !certain {
		return Blocked, op + " does not work, and without it nothing can be said"
	}
	return conformance.Judge(err, c.keyword, r.Strict)
}

// readsOnly reports whether the server says that it does not write, and does not.
func (r *run) readsOnly() bool {
	said := r.offered.Get("writable")
	return said.Type() == canon.TypeBool && !said.True() && r.probe("remember") != nil
}

// isSkipped reports whether an error says that something could not be tried.
func isSkipped(err error) bool { return conformance.IsSkipped(err) }

// sure is an error that counts even where an operation does not work otherwise.
type sure struct{ error }

// notTried ends a row for which the run lacks something.
func notTried(reason string) error { return conformance.Lacks(reason) }

// notOffered ends a row about what a server need not offer.
func notOffered(what string) error { return conformance.NotOffered(what) }

func (r *run) summary(left []memory.ID) Summary {
	server := r.offered.Get("server")
	return Summary{
		Tally: r.Tally(r.Only), Edition: r.edition(), Level: fmt.Sprintf("L%d", r.level), Owner: r.Owner, Left: left, Extra: r.seen.strangers, Before: r.seen.before,
		Server: strings.TrimSpace(server.Get("name").Text() + " " + server.Get("version").Text()),
	}
}

// wait lets time pass.
func (r *run) wait(d time.Duration) {
	conformance.Pause(r.ctx, d)
}
