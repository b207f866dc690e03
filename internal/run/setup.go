package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// Setup is what a run works with, besides its journal.
type Setup struct {
	Definition aaif.Definition
	Over       []aaif.Definition // of the agents that the agent works for, or that handed the run over: their rules hold as well
	Operator   route.Operator
	Models     Models
	Tools      Tools
	Rules      Rules
	Memory     Memory             // what the agent remembers; nil: nothing
	Team       *topology.Team     // nil: the agent works alone
	Handoffs   *topology.Handoffs // nil: there are none
	Notices    []Note             // what there is to report before the first turn
	// Judged returns what judges have used since it was last called; nil: there is none.
	Judged func() Usage
	Close  func()
}

// rules returns the rules that bind the agent.
func (m *Setup) rules() aaif.Rules { return aaif.RulesUnder(m.Definition, m.Over) }

// Models asks models. It is safe for concurrent use.
type Models interface {
	// Ask asks one model once. The outcome says what became of it, also where it fails.
	Ask(ctx context.Context, c route.Candidate, q model.Request) (model.Answer, route.Outcome, error)
}

// Tools calls the tools of an agent.
type Tools interface {
	// Offered lists the tools that a model is offered, and those that are missing.
	Offered() []tool.Offered
	// Check refuses arguments that a tool does not take.
	Check(name string, arguments canon.Value) error
	// Await waits until a call may be made, and returns it as it has to be passed to Call. A
	// failure is a [*tool.Error]: nothing was sent.
	Await(ctx context.Context, c tool.Call) (tool.Call, error)
	// Call calls a tool once. A failure is a [*tool.Error].
	Call(ctx context.Context, c tool.Call) (tool.Result, error)
}

// Memory is what an agent remembers beside its conversation (section 4.5).
type Memory interface {
	// Remind returns what the model is reminded of in a turn, to stand behind the system prompt,
	// and the conversation with what was looked up in it: the journal has only the names of that.
	Remind(ctx context.Context, said []aaif.Message) (text string, with []aaif.Message, notes []Note, err error)
}

// Rules say what a model is told, and what it and its tools are held to.
type Rules interface {
	// System returns the system prompt of a turn. read is everything that was read as context
	// so far, nil if this turn read nothing new. It is the Context of a run that goes on.
	System(ctx context.Context, now time.Time) (text string, read json.RawMessage, notes []Note, err error)
	// Call returns why a call is not made (a code and a text for the model), or whether a
	// person is asked first.
	Call(ctx context.Context, c aaif.Call, of tool.Offered, variables canon.Value) (Verdict, error)
	// Heard returns a part of the conversation as the model may read it. What other agents wrote
	// may not have been held to the policy of this one. It fails with an error that has a code of
	// package aaif if the model may not read it.
	Heard(text string) (string, error)
	// Result returns what a model is told of a tool's result.
	Result(of tool.Offered, text string) (string, []Note, error)
	// Output returns the answer as it may leave. It fails with an error that has a code of
	// package aaif if it may not.
	Output(ctx context.Context, text string) (Answer, error)
}

// Answer is what a model said in the end.
type Answer struct {
	Text  string // as it may leave
	Ask   bool   // only if a person agrees
	Why   string // for the person
	Notes []Note
}

// Verdict says what becomes of a call.
type Verdict struct {
	Refused string // a code: the call is not made; empty: it may be
	Ask     bool   // a person is asked first
	Why     string // for the person, or for the model where the call is refused
	Notes   []Note
}

// Note is something that a run reports and that does not stop it.
type Note struct {
	Code, Text string
	Usage      Usage
}

// noteAt returns a note about a place in a definition; "": about none.
func noteAt(pointer, code, text string) Note {
	if pointer != "" {
		text = pointer + ": " + text
	}
	return Note{Code: code, Text: text}
}

// events returns notes as events.
func events(notes []Note) []Event {
	var all []Event
	for _, n := range notes {
		all = append(all, Event{Kind: Noted, Code: n.Code, Text: n.Text, Usage: n.Usage})
	}
	return all
}

// judged returns what judges have used, as a note; none if nothing was used.
func (m *Setup) judged() []Note {
	if m.Judged == nil {
		return nil
	}
	used := m.Judged()
	if used == (Usage{}) {
		return nil
	}
	return []Note{{Code: "judge.asked", Text: "a model judged whether a constraint is kept", Usage: used}}
}

// errorForModel returns the JSON object that a model reads in the place of a result.
func errorForModel(code, text string) string {
	object, err := json.Marshal(struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{code, text})
	if err != nil {
		return `{"error":"` + code + `"}`
	}
	return string(object)
}
