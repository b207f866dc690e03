package pages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// fakeRuns keeps runs.
type fakeRuns struct {
	runs    []pages.Run
	steered []string
	refused error
	none    bool
}

func (f *fakeRuns) RunList(_ context.Context, _ memory.Caller, after string) ([]pages.Run, string, error) {
	if f.none {
		return nil, "", &memory.Error{Kind: memory.Unsupported, Message: "it runs the agents of its own owner alone"}
	}
	if after != "" || len(f.runs) < 2 {
		return f.runs, "", nil
	}
	return f.runs[:1], "mark", nil
}

func (f *fakeRuns) RunOf(_ context.Context, _ memory.Caller, id string) (pages.Run, error) {
	for _, r := range f.runs {
		if r.ID == id {
			return r, nil
		}
	}
	return pages.Run{}, &memory.Error{Kind: memory.NotFound}
}

func (f *fakeRuns) DecideRun(_ context.Context, _ memory.Caller, id string, d pages.RunDecision) error {
	return f.note(fmt.Sprintf("%s %s %t %s %s", id, d.Call, d.Approve, d.Digest, d.Why))
}

func (f *fakeRuns) CancelRun(_ context.Context, _ memory.Caller, id string) error {
	return f.note("cancel " + id)
}

func (f *fakeRuns) ResumeRun(_ context.Context, _ memory.Caller, id string) error {
	return f.note("resume " + id)
}

func (f *fakeRuns) note(act string) error {
	if f.refused == nil {
		f.steered = append(f.steered, act)
	}
	return f.refused
}

// evil is what a model or a tool may say.
const evil = `<script>alert(1)</script>` + "\u202e" + `"onload=`

// aRun is a run that waits for approval of a call.
func aRun() pages.Run {
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	return pages.Run{ID: "run1", Agent: "agent1", Name: evil, Status: "awaiting_approval", Began: at, Changed: at, Turns: 2, Calls: 1, Tokens: 1234, USD: 0.5,
		Waits: []pages.RunWait{{Call: "c1", Tool: "pay", Why: evil, Digest: "d1", Arguments: []pages.Argument{{Name: "amount", Value: "900"}, {Name: "to[0]", Value: evil}}, AskedAt: at}},
		Steps: []pages.RunStep{{Number: 1, At: at, Kind: "started", Text: evil}, {Number: 4, At: at, Kind: "model_answered", Text: evil, Route: "openai/m", Wants: []pages.RunCall{{Tool: "pay", Arguments: []pages.Argument{{Name: "amount", Value: "900"}}}}},
			{Number: 5, At: at, Kind: "call_returned", Tool: "look", Code: "TOOL_TIMEOUT", Text: strings.Repeat("long ", 200)}}}
}

func TestRuns(t *testing.T) {
	s := open()
	wants(t, s.see(t, "/me/runs"), "Nothing has run yet", "satchel agent run", `<a href="/me/runs" aria-current="page">Runs<span data-asks></span></a>`)
	s.fake.runs = []pages.Run{aRun(), {ID: "run2", Name: "Porter", Status: "running"}}
	body := s.see(t, "/me/runs")
	wants(t, body, "1 run waits for you", "waits for you", "asks for <bdi>pay</bdi>", "2 turns", "$0.5000", `href="/me/runs/run1"`, `href="/me/runs?after=mark"`)
	if strings.Contains(body, "hx-get") {
		t.Error("rows move before anybody clicks")
	}
	wants(t, s.see(t, "/me/runs?after=mark"), "1 run is under way", "Porter", "<noscript><meta http-equiv=\"refresh\"")
	for _, page := range []string{body, s.see(t, "/me/runs/run1")} {
		if strings.Contains(page, "<script>alert") || strings.Contains(page, `"onload=`) {
			t.Error("what a model says is not shown as text")
		}
	}
	s.fake.none = true
	wants(t, s.see(t, "/me/runs"), "This server runs no agents of yours", "it runs the agents of its own owner alone")
	if got, _ := s.ask("GET", "/me/runs/other", "", visit); got.StatusCode != 404 {
		t.Errorf("%d", got.StatusCode)
	}
}

func TestRun(t *testing.T) {
	s := open()
	s.fake.runs = []pages.Run{aRun(), {ID: "run2", Name: "Porter", Status: "running"}, {ID: "run3", Name: "Porter", Status: "completed", Output: "Done " + evil},
		{ID: "run4", Name: "Porter", Status: "paused", Resumes: true, Copied: true}, {ID: "run5", Name: "Porter", Status: "failed", Code: "CANCELLED", Failure: "the run was cancelled"}, {ID: "run6", Name: "Porter", Status: "running", Unread: true}}
	body := s.see(t, "/me/runs/run1")
	wants(t, body, "It wants to call <bdi>pay</bdi>", `<dt><code>amount</code></dt><dd class="block" dir="auto">900</dd>`, "<code>to[0]</code>", "unseen characters", `name="digest" value="d1"`, `name="call" value="c1"`,
		"satchel agent approve run1 c1 --digest d1", "The tool did not do it", "TOOL_TIMEOUT", "What it says", "1,234 tokens")
	if strings.Contains(body, "hx-get") || strings.Contains(body, "http-equiv") {
		t.Error("a page that asks for something is loaded again by itself")
	}
	wants(t, s.see(t, "/me/runs/run2"), `hx-get="/me/runs/run2"`, `http-equiv="refresh"`, "End it")
	wants(t, s.see(t, "/me/runs/run3"), "The answer", "Done &lt;script&gt;")
	wants(t, s.see(t, "/me/runs/run4"), "Let it go on", "was going on elsewhere")
	wants(t, s.see(t, "/me/runs/run5"), "cancelled", "<code>CANCELLED</code>")
	wants(t, s.see(t, "/me/runs/run6"), "cannot be read here")
	for _, id := range []string{"run3", "run5"} {
		if page := s.see(t, "/me/runs/"+id); strings.Contains(page, "End it") || strings.Contains(page, "/resume") {
			t.Errorf("%s can be ended again", id)
		}
	}
}

// What is approved is what was shown; a decision needs the form of the visit.
func TestDecideRun(t *testing.T) {
	for _, c := range []struct{ at, form, want, done string }{
		{"decide", "act=approve&call=c1&digest=d1", "run1 c1 true d1 ", "approved"}, {"decide", "act=reject&call=c1&digest=d1&why=too+much", "run1 c1 false d1 too much", "refused"},
		{"cancel", "", "cancel run1", "cancelled"}, {"resume", "", "resume run1", "goeson"},
	} {
		s := open()
		s.fake.runs = []pages.Run{aRun()}
		got, _ := s.post(t, "/me/runs/run1/"+c.at, c.form)
		if got.StatusCode != 303 || got.Header.Get("Location") != "/me/runs/run1?done="+c.done || len(s.fake.steered) != 1 || s.fake.steered[0] != c.want {
			t.Errorf("%s %s: %d %s, %q", c.at, c.form, got.StatusCode, got.Header.Get("Location"), s.fake.steered)
		}
		s.fake.steered = nil
		for _, header := range [][]string{{visit, "Sec-Fetch-Site: cross-site"}, {visit}, {"Sec-Fetch-Site: same-origin"}} {
			if got, _ := s.ask("POST", "/me/runs/run1/"+c.at, c.form, header...); got.StatusCode != 403 || len(s.fake.steered) > 0 {
				t.Errorf("%s with %q: %d, %q", c.at, header, got.StatusCode, s.fake.steered)
			}
		}
		s.fake.refused = pages.RunRefusal("the call that waits is another one than was approved: look at it again")
		got, body := s.post(t, "/me/runs/run1/"+c.at, c.form)
		if got.StatusCode != 409 {
			t.Errorf("%s: %d", c.at, got.StatusCode)
		}
		wants(t, body, `role="alert">The call that waits is another one than was approved: look at it again.`)
	}
	s := open()
	s.fake.runs = []pages.Run{aRun()}
	for _, form := range []string{"", "act=approve&call=c1", "act=approve&digest=d1", "act=both&call=c1&digest=d1"} {
		if got, _ := s.post(t, "/me/runs/run1/decide", form); got.StatusCode != 400 || len(s.fake.steered) > 0 {
			t.Errorf("%q: %d, %q", form, got.StatusCode, s.fake.steered)
		}
	}
}
