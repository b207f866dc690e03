package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// Guard holds a run to its definition: what its model is told (section 4), which calls wait
// for a person (section 4.9), and what leaves. It is for one execution of one run.
type Guard struct {
	definition  aaif.Definition
	prompter    *policy.Prompter
	gate        *policy.Gate
	constraints *policy.Constraints
	shapes      *policy.Shapes
	personal    policy.Personal

	// OnCall is asked before every call of a tool that the definition allows: it returns why the
	// call is denied, empty: it is not. nil: nobody is asked.
	OnCall func(ctx context.Context, c aaif.Call) (denied string, err error)
}

// NewGuard returns the guard of an agent. read is the Context of a run that goes on; nil: it
// begins. judge is nil where nobody judges.
func NewGuard(d aaif.Definition, over []aaif.Definition, p *policy.Prompter, read json.RawMessage, rules []policy.Rule, judge policy.Judge) (*Guard, error) {
	p.Over = over
	if len(read) > 0 {
		if err := json.Unmarshal(read, &p.Readings); err != nil {
			return nil, fmt.Errorf("the context of the run is not readable: %w", err)
		}
	}
	shapes, err := policy.NewShapes(d)
	if err != nil {
		return nil, err
	}
	return &Guard{
		definition: d, prompter: p, shapes: shapes, personal: policy.NewPersonal(d, over...), constraints: policy.NewConstraints(rules, judge, d, over...),
		gate: policy.NewGate(condition.NewCompiler(condition.Options{}), d, over...),
	}, nil
}

var _ Rules = (*Guard)(nil)

// System implements [Rules].
func (g *Guard) System(ctx context.Context, now time.Time) (string, json.RawMessage, []Note, error) {
	before := g.readings()
	text, notices, err := g.prompter.System(ctx, g.definition, now)
	read := g.readings()
	if bytes.Equal(read, before) {
		read = nil
	}
	return text, read, notesOf(notices), err
}

// readings returns what was read as context so far.
func (g *Guard) readings() json.RawMessage {
	raw, err := json.Marshal(g.prompter.Readings)
	if err != nil {
		return nil // then it is read again after a restart
	}
	return raw
}

// Call implements [Rules]. Constraints come before the gate: nobody is asked about a call
// that is refused anyway.
func (g *Guard) Call(ctx context.Context, c aaif.Call, of tool.Offered, variables canon.Value) (Verdict, error) {
	found, ask, err := g.constraints.CheckCall(ctx, c)
	if err != nil {
		return Verdict{}, err
	}
	outcome := g.constraints.OfCall(found)
	v := Verdict{Notes: notesOf(outcome.Notices)}
	switch {
	case outcome.Err != nil:
		return v, outcome.Err
	case outcome.Refuse:
		v.Refused, v.Why = string(aaif.ConstraintViolation), outcome.Text
		return v, nil
	}
	gate := g.gate.Judge(c, of.Of.Protocol, of.Nature, canon.Value{}, variables)
	if gate.Event != "" && gate.Event != condition.EventHint { // conditions in words are told of once, when the run starts
		v.Notes = append(v.Notes, Note{Code: gate.Event, Text: "the condition on which people are asked before " + c.Tool})
	}
	if v.Ask, v.Why = gate.Ask || ask != "", gate.Why; v.Why == "" {
		v.Why = ask
	}
	return g.asked(ctx, c, v)
}

// asked asks the hook about a call. Its answer is written down with what becomes of the call, so
// that it is asked once.
func (g *Guard) asked(ctx context.Context, c aaif.Call, v Verdict) (Verdict, error) {
	if g.OnCall == nil {
		return v, nil
	}
	denied, err := g.OnCall(ctx, c)
	if err != nil {
		return Verdict{}, err
	}
	note := Note{Code: hookAnswered, Text: string(OnToolCall) + " " + c.Tool + ": allowed"}
	if denied != "" {
		note.Text = string(OnToolCall) + " " + c.Tool + ": denied"
		v.Refused, v.Why, v.Ask = HookDenied, "a hook of the owner denied the call: "+denied, false
	}
	v.Notes = append(v.Notes, note)
	return v, nil
}

// Heard implements [Rules] (AAIF-4.3-26).
func (g *Guard) Heard(text string) (string, error) {
	text, _, err := g.personal.Text(text)
	return text, err
}

// Result implements [Rules].
func (g *Guard) Result(of tool.Offered, text string) (string, []Note, error) {
	text, notices, err := g.personal.Text(text)
	notes := notesOf(notices)
	if found := policy.Suspicious(text); len(found) > 0 {
		notes = append(notes, Note{Code: policy.EventInjection, Text: "the result speaks to the model: it " + strings.Join(found, ", ")})
	}
	for i := range notes {
		notes[i].Text = of.Name + ": " + notes[i].Text
	}
	return text, notes, err
}

// Output implements [Rules].
func (g *Guard) Output(ctx context.Context, text string) (Answer, error) {
	found, err := g.constraints.Check(ctx, policy.Output, text)
	if err != nil {
		return Answer{}, err
	}
	outcome := g.constraints.OfOutput(text, found)
	a := Answer{Text: outcome.Text, Notes: notesOf(outcome.Notices)}
	if outcome.Err != nil {
		if !outcome.Approve {
			return a, outcome.Err
		}
		a.Ask, a.Why = true, outcome.Err.Error()
	}
	shaped, err := g.shapes.CheckOutput(outcome.Text)
	if err != nil {
		return a, err
	}
	a.Text = shaped
	return a, nil
}

// notesOf returns what a policy reports as notes.
func notesOf(notices []policy.Notice) []Note {
	var all []Note
	for _, n := range notices {
		all = append(all, noteAt(n.Pointer, n.Event, n.Text))
	}
	return all
}

// framed returns a part of the conversation as a model reads it: what tools answered, and what
// other agents said that is to be merged or judged, is marked as data (AAIF-12-7). What this
// package says in the place of an answer is not. heard is the part as the model may read it, see
// [Rules].
func (t *Thread) framed(all, heard []aaif.Message) []aaif.Message {
	input := Value(t.Start.Input)
	merges, asked := t.In != "" && input.Has("request") && input.Has("outputs"), said(input)
	marked := slices.Clone(heard)
	for i, m := range all {
		to := &marked[i].Content
		switch {
		case m.Role == "tool" && !t.own[m.CallID] && m.Content != timedOut:
			*to = policy.Data("tool "+m.Tool, *to)
		case m.Role == "user" && merges && m.Content == asked:
			*to = input.Get("request").Text() + "\n" + policy.Data("agents", said(Value([]byte(*to)).Without("request")))
		}
	}
	return marked
}

// timedOut is the result of a call that is not made again after a run was restored
// (AAIF-8.2-6).
var timedOut = aaif.TimedOutMessage(aaif.PendingCall{}, time.Time{}).Content
