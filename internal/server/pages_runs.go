package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// runPages is the service behind the pages about runs.
type runPages struct {
	owner  memory.DID   // whose agents run
	host   *host.Host   // runs them; nil: none runs here
	agents aaif.Backend // keeps them
}

// runsOf reports whether the server runs agents of a caller. It does for its own owner alone:
// the settings for runs are this owner's.
func (p runPages) runsOf(c memory.Caller) error {
	switch {
	case p.host == nil:
		return &memory.Error{Kind: memory.Unsupported, Op: "runs", Message: "it was started without them"}
	case c.Owner != p.owner:
		return &memory.Error{Kind: memory.Unsupported, Op: "runs", Message: "it runs the agents of its own owner alone"}
	}
	return nil
}

// RunList lists runs.
func (p runPages) RunList(ctx context.Context, c memory.Caller, after string) (list []pages.Run, next string, err error) {
	if err := p.runsOf(c); err != nil {
		return nil, "", err
	}
	rows, err := p.host.List(ctx, c, "", placeOfRun(after), pages.RunsShown+1)
	if err != nil {
		return nil, "", err
	}
	names := map[string]string{}
	for _, row := range rows[:min(len(rows), pages.RunsShown)] {
		_, here, err := p.host.Head(ctx, c, row.ID)
		if err != nil {
			continue // removed meanwhile
		}
		r, _, err := p.host.Get(ctx, c, row.ID)
		list = append(list, p.shownRun(ctx, c, row, r, here, err, names))
	}
	if len(rows) > pages.RunsShown {
		last := rows[pages.RunsShown-1]
		next = last.Began.UTC().Format(time.RFC3339Nano) + "_" + last.ID
	}
	return list, next, nil
}

// stand returns a mark that changes when one of the newest runs does, and how many of them wait
// for the owner.
func (p runPages) stand(ctx context.Context, c memory.Caller) (mark string, asks int, err error) {
	if p.runsOf(c) != nil {
		return "", 0, nil
	}
	rows, err := p.host.List(ctx, c, "", runstore.Place{}, pages.RunsShown)
	sum := sha256.New()
	for _, row := range rows {
		fmt.Fprintf(sum, "%s %d %s\n", row.ID, row.Events, row.Status)
		if row.Status == string(aaif.AwaitingApproval) {
			asks++
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), asks, err
}

// placeOfRun reads a mark of RunList; another text is the beginning of the list.
func placeOfRun(mark string) runstore.Place {
	at, id, _ := strings.Cut(mark, "_")
	began, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return runstore.Place{}
	}
	return runstore.Place{Began: began, ID: id}
}

// shownRun returns a run for a page. unread is why its journal cannot be read, if it cannot.
func (p runPages) shownRun(ctx context.Context, c memory.Caller, row runstore.Run, r run.Run, here bool, unread error, names map[string]string) pages.Run {
	out := pages.Run{ID: row.ID, Agent: row.Agent, Name: names[row.Agent], Status: row.Status, Began: row.Began, Changed: row.Changed}
	if out.Name == "" {
		out.Name = row.Agent
		if kept, err := p.agents.Agent(ctx, c, row.Agent, 0); err == nil && kept.Name != "" {
			out.Name = kept.Name
		}
		names[row.Agent] = out.Name
	}
	if out.Unread = unread != nil; out.Unread {
		return out
	}
	out.Turns, out.Tokens, out.USD, out.Unpriced, out.Worked = r.Turns(), r.Usage.Tokens(), r.Usage.USD, r.Usage.Unpriced, r.Active
	out.Output, out.Platform, out.Own = r.Output, r.Platform, strings.Join(r.Start.Flags, " ")
	for t := range r.All() {
		for _, m := range t.Messages {
			if m.Role == "tool" {
				out.Calls++
			}
		}
	}
	if r.Err != nil {
		out.Code, out.Failure = r.Err.Code, r.Err.Message
	}
	out.Copied, out.Resumes = !here && !r.Status.Ended(), runOf(r, here).Resume
	if r.Status.Ended() || r.Status == aaif.Migrating {
		return out
	}
	for t, w := range r.Asking() {
		one := pages.RunWait{Call: w.ID, Tool: w.Tool, Thread: t.In, Why: w.Why, Digest: w.Digest, AskedAt: w.AskedAt, Until: w.Until}
		if w.IsOutput() {
			one.Answer = w.Arguments.Get("text").Text()
		} else {
			one.Arguments = argumentsOf(nil, "", w.Arguments)
		}
		out.Waits = append(out.Waits, one)
	}
	return out
}

// argumentsOf adds the values in a value, each with its place.
func argumentsOf(list []pages.Argument, at string, v canon.Value) []pages.Argument {
	switch {
	case v.Type() == canon.TypeObject && v.Len() > 0:
		for _, m := range v.Members() {
			name := m.Name
			if at != "" {
				name = at + "." + m.Name
			}
			list = argumentsOf(list, name, m.Value)
		}
		return list
	case v.Type() == canon.TypeArray && v.Len() > 0:
		for i, item := range v.Items() {
			list = argumentsOf(list, fmt.Sprintf("%s[%d]", at, i), item)
		}
		return list
	case v.Type() == canon.TypeString:
		return append(list, pages.Argument{Name: at, Value: v.Text()})
	case at == "": // no arguments
		return list
	}
	return append(list, pages.Argument{Name: at, Value: string(v.Append(nil))})
}

// Bounds of the steps of a run that its page shows.
const (
	mostSteps        = 300
	mostStepText     = 8000
	mostArguments    = 40 // of a call that is not asked about
	mostArgumentText = 400
)

// RunOf returns a run with its steps.
func (p runPages) RunOf(ctx context.Context, c memory.Caller, id string) (pages.Run, error) {
	if err := p.runsOf(c); err != nil {
		return pages.Run{}, err
	}
	row, here, err := p.host.Head(ctx, c, id)
	if err != nil {
		return pages.Run{}, err
	}
	events, unread := p.host.Events(ctx, c, id, 0)
	var r run.Run
	if unread == nil {
		r, unread = run.Fold(id, events)
	}
	out := p.shownRun(ctx, c, row, r, here, unread, map[string]string{})
	if unread != nil {
		return out, ctx.Err()
	}
	steps := stepsOf(id, events)
	out.Earlier = max(0, len(steps)-mostSteps)
	out.Steps = steps[out.Earlier:]
	return out, nil
}

// stepsOf returns the events that a page shows.
func stepsOf(id string, events []run.Event) (steps []pages.RunStep) {
	r := run.Run{ID: id}
	for _, e := range events {
		kind := string(e.Kind)
		if e.Kind == run.Resumed && e.Code == run.CopiedCode {
			kind = "copied"
		}
		if pages.StepShown(kind) {
			s := pages.RunStep{Number: e.Number, At: e.At, Kind: kind, Thread: e.In, Route: e.Route, Code: e.Code, Text: size.Cut(e.Text, mostStepText), Tokens: e.Usage.Tokens()}
			if t := r.Of(e.In); t != nil {
				s.Tool = toolOf(t, e.Call)
			}
			switch {
			case e.Start != nil && e.Kind != run.Handed:
				s.Text = size.Cut(inputText(e.Start), mostStepText)
			case e.In == "" && (e.Kind == run.Completed || e.Kind == run.Failed), e.Kind == run.Withheld:
				s.Text = "" // the page shows it above
			}
			for _, call := range e.Calls {
				s.Wants = append(s.Wants, wish(call))
			}
			steps = append(steps, s)
		}
		if err := r.Apply(e); err != nil {
			return steps // Fold has refused the run before
		}
	}
	return steps
}

// toolOf returns the tool of a call of a thread, "" if it is none of a tool.
func toolOf(t *run.Thread, id string) string {
	for _, c := range t.Calls {
		if c.ID == id && !c.IsOutput() {
			return c.Tool
		}
	}
	return ""
}

// inputText returns what a run was asked.
func inputText(s *run.Start) string {
	if v := run.Value(s.Input); v.Type() == canon.TypeString {
		return v.Text()
	}
	return string(s.Input)
}

// wish returns a call that a model asks for, shortened.
func wish(c run.ToolCall) pages.RunCall {
	out := pages.RunCall{Tool: c.Tool, Arguments: argumentsOf(nil, "", run.Value(c.Arguments))}
	out.Arguments = out.Arguments[:min(len(out.Arguments), mostArguments)]
	for i := range out.Arguments {
		out.Arguments[i].Value = size.Cut(out.Arguments[i].Value, mostArgumentText)
	}
	return out
}

// DecideRun approves or rejects a call.
func (p runPages) DecideRun(ctx context.Context, c memory.Caller, id string, d pages.RunDecision) error {
	return p.steer(c, func() (err error) {
		if d.Approve {
			_, err = p.host.Approve(ctx, c, id, d.Call, d.Digest)
		} else {
			_, err = p.host.Reject(ctx, c, id, d.Call, d.Why)
		}
		return err
	})
}

// CancelRun ends a run.
func (p runPages) CancelRun(ctx context.Context, c memory.Caller, id string) error {
	return p.steer(c, func() error { _, err := p.host.Cancel(ctx, c, id); return err })
}

// ResumeRun lets a run go on.
func (p runPages) ResumeRun(ctx context.Context, c memory.Caller, id string) error {
	return p.steer(c, func() error { _, err := p.host.Resume(ctx, c, id); return err })
}

// steer does something to a run. What the run does not allow is a refusal.
func (p runPages) steer(c memory.Caller, do func() error) error {
	if err := p.runsOf(c); err != nil {
		return err
	}
	err := withCode(do())
	if err != nil && memory.KindOf(err) != memory.NotFound {
		if code := aaif.CodeOf(err); code != "" {
			return pages.RunRefusal(strings.TrimSuffix(err.Error(), "."))
		}
	}
	return err
}
