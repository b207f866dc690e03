package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// offered returns the tool that a call is of; Missing says why there is none.
func offered(m *Setup, name string) tool.Offered {
	all := m.Tools.Offered()
	i := slices.IndexFunc(all, func(o tool.Offered) bool { return o.Name == name })
	if i < 0 {
		return tool.Offered{Name: name, Missing: &tool.Error{Code: aaif.ToolUnbound, Tool: name, Outcome: tool.NotSent, Text: "the agent has no such tool"}}
	}
	return all[i]
}

// judge decides what becomes of a call that nobody has judged: it is refused, a person is
// asked, or it may be made.
func (w *worker) judge(ctx context.Context, m *Setup, c Call) error {
	of := offered(m, c.Tool)
	if of.Missing != nil {
		return w.returned(ctx, c, string(of.Missing.Code), of.Missing.ForModel())
	}
	if c.Guessed {
		return w.returned(ctx, c, string(tool.ArgsInvalid), errorForModel(string(tool.ArgsInvalid), "the arguments are no JSON object"))
	}
	if err := m.Tools.Check(c.Tool, c.Arguments); err != nil {
		return w.failed(ctx, c, of.Nature, err)
	}
	v, err := m.Rules.Call(ctx, c.Call, of, w.at().Variables)
	notes := events(append(m.judged(), v.Notes...))
	if code := aaif.CodeOf(err); code != "" && ctx.Err() == nil {
		return w.append(ctx, append(notes, Event{Kind: Failed, Code: string(code), Text: err.Error(), Step: w.at().step()})...)
	}
	if err != nil {
		return err
	}
	if v.Refused != "" {
		return w.append(ctx, append(notes, Event{Kind: Returned, Call: c.ID, Code: v.Refused, Text: errorForModel(v.Refused, v.Why)})...)
	}
	e := Event{Kind: Allowed, Call: c.ID, Digest: policy.Digest(c.Tool, c.Arguments)}
	if v.Ask {
		e.Kind, e.Text, e.Until = AskedFor, v.Why, w.x.Now().Add(w.at().Start.Limits.Wait)
	}
	return w.append(ctx, append(notes, e)...)
}

// call makes a call that may be made: exactly the one that was allowed (AAIF-4.9-18).
func (w *worker) call(ctx context.Context, m *Setup, c Call) error {
	if c.IsOutput() {
		return w.append(ctx, Event{Kind: Completed, Text: c.Arguments.Get("text").Text()})
	}
	if err := policy.CheckApproved(c.Digest, c.Tool, c.Arguments); err != nil {
		return w.returned(ctx, c, string(aaif.ApprovalMismatch), errorForModel(string(aaif.ApprovalMismatch), "the call is not the one that was approved: it was not made"))
	}
	of := offered(m, c.Tool)
	if of.Missing != nil {
		return w.returned(ctx, c, string(of.Missing.Code), of.Missing.ForModel())
	}
	if c.Unjudged { // a person approved it; nobody has held it to the rules
		if refused, err := w.refuses(ctx, m, c, of); refused || err != nil {
			return err
		}
	}
	for try := 1; ; try++ {
		result, err := w.once(ctx, m, c, of)
		switch {
		case errors.Is(context.Cause(ctx), errDropped):
			return w.last(context.WithoutCancel(ctx), m, c, of, result, err)
		case ctx.Err() != nil:
			return ctx.Err() // what became of it is found out when the run goes on
		case err == nil:
			return w.took(ctx, m, c, of, result)
		case try == mostTries || !mayRepeat(err, of.Nature):
			return w.failed(ctx, c, of.Nature, err)
		}
		if err := w.x.Sleep(ctx, backoff("exponential", try-1)); err != nil {
			return err
		}
	}
}

// last records what became of a call that was under way when the thread was cancelled.
func (w *worker) last(ctx context.Context, m *Setup, c Call, of tool.Offered, r tool.Result, err error) error {
	sent := slices.ContainsFunc(w.at().Calls, func(now Call) bool { return now.ID == c.ID && now.Stage == InFlight })
	switch {
	case err == nil:
		return w.took(ctx, m, c, of, r)
	case !sent:
		return w.returned(ctx, c, string(aaif.Cancelled), errorForModel(string(aaif.Cancelled), "the call was given up before it was made"))
	case of.Nature.ReadOnly:
		return w.returned(ctx, c, string(aaif.Cancelled), errorForModel(string(aaif.Cancelled), "the call was given up"))
	}
	return w.unknown(ctx, c, aaif.OutcomeUnknown)
}

// refuses judges a call that a person approved before it was judged here. It reports whether
// the rules refuse the call.
func (w *worker) refuses(ctx context.Context, m *Setup, c Call, of tool.Offered) (bool, error) {
	if err := m.Tools.Check(c.Tool, c.Arguments); err != nil {
		return true, w.failed(ctx, c, of.Nature, err)
	}
	v, err := m.Rules.Call(ctx, c.Call, of, w.at().Variables)
	if err != nil {
		return true, w.refused(ctx, err)
	}
	notes := events(append(m.judged(), v.Notes...))
	if v.Refused != "" {
		notes = append(notes, Event{Kind: Returned, Call: c.ID, Code: v.Refused, Text: errorForModel(v.Refused, v.Why)})
	}
	return v.Refused != "", w.append(ctx, notes...)
}

// mostTries is how often a read-only or idempotent tool is called while its answers are lost.
const mostTries = 3

// toolWarning is the code of what a person is told about a tool.
const toolWarning = "tool.warning"

// once makes a call once. The journal says that the call is sent only after the call has
// waited for its turn: a program that is killed while a call waits has not made it.
func (w *worker) once(ctx context.Context, m *Setup, c Call, of tool.Offered) (tool.Result, error) {
	timed, cancel := context.WithTimeout(ctx, w.at().Start.Limits.callTime(of.Of))
	defer cancel()
	call := tool.Call{Name: c.Tool, Arguments: c.Arguments, Key: w.key(c)}
	call, err := m.Tools.Await(timed, call)
	if err != nil {
		return tool.Result{}, err
	}
	if err := w.append(ctx, Event{Kind: Sent, Call: c.ID, Digest: c.Digest}); err != nil {
		return tool.Result{}, err
	}
	if err := w.confirm(ctx); err != nil {
		return tool.Result{}, err
	}
	return m.Tools.Call(timed, call)
}

// mayRepeat reports whether a call that failed may be made again, with the same key.
func mayRepeat(err error, nature aaif.ToolNature) bool {
	failed, ok := errors.AsType[*tool.Error](err)
	return ok && failed.Outcome == tool.Unknown && failed.Code != tool.Timeout && (nature.ReadOnly || nature.Idempotent)
}

// took adds a result to the conversation, in the form that the policy for personal data allows.
func (w *worker) took(ctx context.Context, m *Setup, c Call, of tool.Offered, r tool.Result) error {
	text, notes, err := m.Rules.Result(of, r.Text)
	if err != nil {
		if code := aaif.CodeOf(err); code != "" {
			return w.returned(ctx, c, string(code), errorForModel(string(code), err.Error()))
		}
		return err
	}
	pictures, left := w.pictures(m, r.Images)
	if left != "" {
		text += left
		notes = append(notes, Note{Code: "tool.pictures", Text: fmt.Sprintf("%s: %d of %d pictures are kept for the model:%s", c.Tool, len(pictures), len(r.Images), left)})
	}
	for _, w := range r.Warnings {
		notes = append(notes, Note{Code: toolWarning, Text: c.Tool + ": " + w})
	}
	e := Event{Kind: Returned, Call: c.ID, Text: text, Pictures: pictures}
	if r.IsError {
		e.Code = string(aaif.ToolSaysNo)
	}
	return w.append(ctx, append(events(notes), e)...)
}

// failed tells the model that a call failed. A call that may have taken effect is not made
// again; the model reads that its outcome is unknown (AAIF-4.6-6).
func (w *worker) failed(ctx context.Context, c Call, nature aaif.ToolNature, err error) error {
	failed, ok := errors.AsType[*tool.Error](err)
	switch {
	case !ok:
		return err
	case failed.Outcome == tool.Unknown && !nature.ReadOnly:
		return w.unknown(ctx, c, failed.Code)
	}
	return w.returned(ctx, c, string(failed.Code), failed.ForModel())
}

// unknown tells the model that nobody knows whether a call took effect, because the answer was
// lost or did not come in time (AAIF-4.4-26).
func (w *worker) unknown(ctx context.Context, c Call, why aaif.Code) error {
	text := "no answer came within the time that a call may take"
	if why != tool.Timeout {
		why, text = aaif.OutcomeUnknown, "the answer was lost"
	}
	return w.returned(ctx, c, string(why), errorForModel(string(why), text+": the call may have taken effect, or not. Do not simply repeat it; find out first"))
}

func (w *worker) returned(ctx context.Context, c Call, code, text string) error {
	return w.append(ctx, Event{Kind: Returned, Call: c.ID, Code: code, Text: text})
}

// recover decides about a call that an earlier holder may have made (AAIF-8.1-16,
// AAIF-8.2-6). A read-only tool is called again, and so is an idempotent one, with the same
// key. Of any other call the outcome stays unknown.
func (w *worker) recover(ctx context.Context, m *Setup, c Call) error {
	of := offered(m, c.Tool)
	nature := of.Nature
	nature.Bound = of.Missing == nil
	switch aaif.Reissue(aaif.PendingCall{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Status: aaif.CallInFlight}, nature) {
	case aaif.IssueCall:
		if c.Copied {
			return w.judge(ctx, m, c)
		}
		return w.append(ctx, Event{Kind: Allowed, Call: c.ID, Digest: policy.Digest(c.Tool, c.Arguments)})
	case aaif.GateCall:
		if !c.Copied { // it passed the gate here, as it is
			return w.append(ctx, Event{Kind: Allowed, Call: c.ID, Digest: c.Digest})
		}
		return w.judge(ctx, m, c)
	}
	if c.Copied {
		return w.returned(ctx, c, string(aaif.OutcomeUnknown), timedOut)
	}
	return w.unknown(ctx, c, aaif.OutcomeUnknown)
}
