package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// Kind says what an event is about.
type Kind string

// The kinds of events, in the order in which a run may have them.
const (
	Started   Kind = "started"
	Resumed   Kind = "resumed"        // somebody took hold of the run; By
	Read      Kind = "context_read"   // what was read as context, all of it: Context
	Asked     Kind = "model_asked"    // is about to ask a model; Route, Pass
	Passed    Kind = "model_failed"   // a model did not answer; Route, Code, Text, Until if it is not to be asked before
	Answered  Kind = "model_answered" // Text, Calls, Usage, Route
	Allowed   Kind = "call_allowed"   // nobody need be asked; Call, Digest
	AskedFor  Kind = "approval_asked" // Call, Digest, Text says why, Until
	Approved  Kind = "approved"       // Call, Digest, By
	Rejected  Kind = "rejected"       // Call, Code, By; Text is what the model is told
	Sent      Kind = "call_sent"      // is about to call a tool; Call, Digest
	Returned  Kind = "call_returned"  // Call, Code if the call failed; Text is what the model is told
	Withheld  Kind = "output_asked"   // the answer may leave only if a person agrees; Text is the answer, Why
	Noted     Kind = "noted"          // something worth knowing that changes nothing; Code, Text
	Paused    Kind = "paused"         // By, Text says why
	Leaving   Kind = "leaving"        // is being sent to another platform; By, Text names it
	Left      Kind = "left"           // the other platform has it; Text names it
	Stayed    Kind = "stayed"         // the other platform does not have it
	Completed Kind = "completed"      // Text is the output
	Failed    Kind = "failed"         // Code, Text, Step, Retries

	// These are of the threads of a run, see [Thread].
	Dispatched Kind = "agent_dispatched" // a thread begins; In is its path, Start what it begins with, Pass as for Weighed
	Skipped    Kind = "step_skipped"     // a step of a team is not taken; In is the path that it would have had, Step, Text says why, Pass
	Handed     Kind = "agent_handed"     // another agent goes on in the thread; Start, Text names it
	Weighed    Kind = "outcomes_weighed" // a team goes on waiting for its subagents; Pass is how many outcomes it knows
	Cancelled  Kind = "agent_cancelled"  // a thread, and those below it, do nothing more; Text says why
)

// Event is an entry of a run's journal.
type Event struct {
	Number int64     `json:"-"` // from 1, without gaps
	At     time.Time `json:"at"`
	Kind   Kind      `json:"kind"`
	In     string    `json:"in,omitempty"`    // the path of the thread that the event is of; empty: that of the run's own agent
	Agent  string    `json:"agent,omitempty"` // of events of other agents than the run's own: the agent at work

	Route  string          `json:"route,omitempty"` // provider/model
	Pass   int             `json:"pass,omitempty"`  // which attempt at the whole chain of routes, from 0
	Usage  Usage           `json:"usage,omitzero"`
	Calls  []ToolCall      `json:"calls,omitempty"`
	Carry  json.RawMessage `json:"carry,omitempty"`  // the provider's own data, which it wants back with the results of the calls
	Call   string          `json:"call,omitempty"`   // id of a call
	Digest string          `json:"digest,omitempty"` // of the call's tool and arguments
	Code   string          `json:"code,omitempty"`
	Text   string          `json:"text,omitempty"`
	// Pictures are those of a result that the model is shown.
	Pictures []model.Picture `json:"pictures,omitempty"`
	By       string          `json:"by,omitempty"`
	Why      string          `json:"why,omitempty"`
	Step     string          `json:"step,omitempty"`
	// Context is what was read as context so far, in the form of the rules that read it.
	Context json.RawMessage `json:"context,omitempty"`
	Start   *Start          `json:"start,omitempty"`
	Until   time.Time       `json:"until,omitzero"`
	Retry   *int            `json:"retries_remaining,omitempty"`
}

// decides reports whether an event is a person's decision about a call.
func (e Event) decides() bool {
	return e.By != "" && (e.Kind == Approved || e.Kind == Rejected || e.Kind == Failed && e.Step == "output")
}

// ToolCall is a call as a model asks for it.
type ToolCall struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // an object
}

// Usage counts what a run has used.
type Usage struct {
	Input    int     `json:"input_tokens,omitempty"`
	Output   int     `json:"output_tokens,omitempty"`
	USD      float64 `json:"usd,omitempty"`      // as far as prices are known
	Unpriced bool    `json:"unpriced,omitempty"` // a model without a known price was asked
}

// Plus returns the sum.
func (u Usage) Plus(o Usage) Usage {
	return Usage{u.Input + o.Input, u.Output + o.Output, u.USD + o.USD, u.Unpriced || o.Unpriced}
}

// Tokens returns how many tokens went to models and came from them.
func (u Usage) Tokens() int { return u.Input + u.Output }

// Start is what a run, or a thread of it, was started with. It never changes.
type Start struct {
	Agent     string          `json:"agent"`    // id of the definition
	Revision  int             `json:"revision"` // of the definition, as it is kept
	Digest    string          `json:"digest"`   // of the definition
	Input     json.RawMessage `json:"input,omitempty"`
	Variables json.RawMessage `json:"variables,omitempty"`
	Limits    Limits          `json:"limits"`
	Flags     []string        `json:"flags,omitempty"`   // name the settings that replaced the owner's own
	User      string          `json:"user,omitempty"`    // whose run it is; empty: the owner's
	Session   string          `json:"session,omitempty"` // that the run is part of; empty: it is one of its own
	// Origin is what started the run, in the form of the package that did; empty: the owner.
	Origin json.RawMessage `json:"origin,omitempty"`
	// State is the checkpoint that the run goes on from; empty: it begins.
	State json.RawMessage `json:"state,omitempty"`
	Trace trace.Origin    `json:"trace,omitzero"` // where the run stands in a trace

	Leads  bool   `json:"leads,omitempty"`  // subagents work for the agent
	Remote string `json:"remote,omitempty"` // the address of the agent's card; empty: the agent is kept here
	// Agents are all that may come to work in the run, as they were kept when it started. Only a
	// run has them, not its threads.
	Agents []Pin `json:"agents,omitempty"`

	// Schemas are the documents that schemas of the agents refer to: the digest of each, by its
	// address. Only a run has them, not its threads.
	Schemas map[string]string `json:"schemas,omitempty"`

	// These are of threads of subagents.
	Step  string `json:"step,omitempty"`  // of the team that the agent works in
	Alias string `json:"alias,omitempty"` // its name there
	Own   bool   `json:"own,omitempty"`   // the agent that leads the team works itself, with its own model
	Merge bool   `json:"merge,omitempty"` // the input is what other agents said
	// Conversation says that an agent to which a run was handed gets the conversation so far.
	Conversation bool `json:"conversation,omitempty"`
	// Memory says what the agent receives of the memory of the agent that it works for.
	Memory PassedMemory `json:"memory,omitzero"`
}

// PassedMemory says what an agent receives of another agent's memory (AAIF-4.3-20,
// AAIF-4.3-21). The zero PassedMemory passes nothing.
type PassedMemory struct {
	Keys     []string `json:"keys,omitempty"` // of a subagent
	LongTerm bool     `json:"long_term,omitempty"`
}

// Pin is an agent that may come to work in a run.
type Pin struct {
	Ref      string `json:"ref"` // as definitions refer to it
	Agent    string `json:"agent"`
	Revision int    `json:"revision,omitempty"`
	Digest   string `json:"digest,omitempty"`
	Leads    bool   `json:"leads,omitempty"`
	Remote   string `json:"remote,omitempty"` // see [Start]
	Limits   Limits `json:"limits,omitzero"`
}

// Outline returns an event for people and programs that follow a run: without the data of
// pictures.
func (e Event) Outline() Event {
	e.Pictures = slices.Clone(e.Pictures)
	for i := range e.Pictures {
		e.Pictures[i].Data = nil
	}
	return e
}

// Encode returns an event as the journal keeps it.
func (e Event) Encode() ([]byte, error) { return json.Marshal(e) }

// Decode is the inverse of [Event.Encode].
func Decode(number int64, document []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(document, &e); err != nil {
		return Event{}, fmt.Errorf("event %d of the run is not readable: %w", number, err)
	}
	e.Number = number
	return e, nil
}

// Value reads a value of an event; undefined if there is none.
func Value(raw json.RawMessage) canon.Value {
	if len(raw) == 0 {
		return canon.Value{}
	}
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{Bytes: int64(len(raw)), Values: len(raw)}) // whoever brought it has bounded it
	if err != nil {
		return canon.Value{}
	}
	return v
}

// Raw is the inverse of [Value].
func Raw(v canon.Value) json.RawMessage {
	if v.Type() == canon.TypeUndefined {
		return nil
	}
	return v.AppendCanonical(nil)
}
