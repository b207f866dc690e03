package pages

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// runPage shows one run: what it waits for, and what happened in it.
type runPage struct {
	frame
	runRow
	Asks    []waitRow
	Steps   []stepRow
	Took    string
	Again   string // the path that is loaded again while the run is under way; empty: it is not
	Wrong   string // why the last click did nothing
	Answer  string
	Command string
}

// waitRow is a call that waits for the owner, whole: what is approved is what is shown.
type waitRow struct {
	RunWait
	Asked, Until moment
	Unseen       bool // it has characters that nobody sees
	Command      string
}

// stepRow is something that happened in a run, in words.
type stepRow struct {
	RunStep
	Word, Class string
	When        moment
	Long        bool // the text is behind a click
}

// stepWords are the kinds of a run's events in an owner's words; what is not here is not
// shown, since another step says the same.
var stepWords = map[string]struct{ word, class string }{
	"started": {"Asked", ""}, "context_read": {"Read its context", ""}, "model_answered": {"The model answered", ""}, "model_failed": {"A model did not answer", "bad"},
	"approval_asked": {"Asked you", "wait"}, "approved": {"You approved", "good"}, "rejected": {"Rejected", "bad"}, "call_returned": {"The tool answered", ""},
	"output_asked": {"The answer waits for you", "wait"}, "noted": {"Noted", "plain"}, "paused": {"Paused", "wait"}, "leaving": {"Leaves for another platform", "wait"},
	"left": {"Left for another platform", "gone"}, "stayed": {"Did not leave", "plain"}, "completed": {"Done", "good"}, "failed": {"Failed", "bad"},
	"agent_dispatched": {"Another agent began", ""}, "step_skipped": {"Left out", "plain"}, "agent_handed": {"Another agent goes on", ""}, "agent_cancelled": {"Cancelled", "gone"}, "copied": {"It was going on elsewhere", "wait"},
}

// StepShown reports whether the page of a run shows a kind of event.
func StepShown(kind string) bool { _, shown := stepWords[kind]; return shown }

func stepRows(steps []RunStep, now time.Time) (rows []stepRow) {
	for _, s := range steps {
		words := stepWords[s.Kind]
		row := stepRow{RunStep: s, Word: words.word, Class: words.class, When: momentOf(s.At, now), Long: len(s.Text) > rowText}
		if s.Kind == "call_returned" && s.Code != "" {
			row.Word, row.Class = "The tool did not do it", "bad"
		}
		row.Text = cut(s.Text, partText)
		rows = append(rows, row)
	}
	return rows
}

// run shows one run.
func (h runHandler) run(w http.ResponseWriter, r *http.Request, v visitor) {
	h.runAs(w, r, v, http.StatusOK, "")
}

func (h runHandler) runAs(w http.ResponseWriter, r *http.Request, v visitor, status int, wrong string) {
	one, err := h.backend.RunOf(r.Context(), v.caller, r.PathValue("id"))
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := runPage{frame: h.frame(r, v, "Run", "runs"), Wrong: wrong, Took: one.Worked.Round(100 * time.Millisecond).String(), Command: command("agent", "watch", quoted(one.ID))}
	p.runRow, p.Answer = runRowOf(one, p.Now), cut(one.Output, 4*partText)
	p.Title, p.Steps = "Run of "+cut(p.Name, 60), stepRows(one.Steps, p.Now)
	for _, wait := range one.Waits {
		hidden := unseen(wait.Answer)
		for _, a := range wait.Arguments {
			hidden += unseen(a.Name) + unseen(a.Value)
		}
		p.Asks = append(p.Asks, waitRow{wait, momentOf(wait.AskedAt, p.Now), momentOf(wait.Until, p.Now), hidden > 0, command("agent", "approve", quoted(one.ID), quoted(wait.Call), "--digest", quoted(wait.Digest))})
	}
	if p.Refresh = one.underWay() && wrong == ""; p.Refresh {
		p.Again = p.Path
	}
	h.show(w, r, status, "run", p)
}

// mostWhy is the most characters of a reason.
const mostWhy = 2000

// decide approves or rejects the call that was shown.
func (h runHandler) decide(w http.ResponseWriter, r *http.Request, v visitor) {
	act := r.PostForm.Get("act")
	d := RunDecision{Call: r.PostForm.Get("call"), Approve: act == "approve", Digest: r.PostForm.Get("digest"), Why: strings.TrimSpace(cut(typed(r.PostForm, "why"), mostWhy))}
	if act != "approve" && act != "reject" || d.Call == "" || d.Approve && d.Digest == "" {
		h.fail(w, r, v, invalid("a decision is to approve or to reject the call that is shown"))
		return
	}
	h.steered(w, r, v, map[bool]string{true: "approved", false: "refused"}[d.Approve], h.backend.DecideRun(r.Context(), v.caller, r.PathValue("id"), d))
}

func (h runHandler) cancel(w http.ResponseWriter, r *http.Request, v visitor) {
	h.steered(w, r, v, "cancelled", h.backend.CancelRun(r.Context(), v.caller, r.PathValue("id")))
}

func (h runHandler) resume(w http.ResponseWriter, r *http.Request, v visitor) {
	h.steered(w, r, v, "goeson", h.backend.ResumeRun(r.Context(), v.caller, r.PathValue("id")))
}

// steered leads back to a run, or shows it with why nothing was done.
func (h runHandler) steered(w http.ResponseWriter, r *http.Request, v visitor, word string, err error) {
	refusal, refused := errors.AsType[RunRefusal](err)
	switch {
	case refused:
		h.runAs(w, r, v, http.StatusConflict, capital(sentence(string(refusal), "")))
	case err != nil:
		h.fail(w, r, v, err)
	default:
		h.done(w, r, runPath(r.PathValue("id")), word, "")
	}
}
