package model

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/sleep"
)

// Step is a line of a script: which request it answers, and how.
//
// A step matches a request if all its conditions hold. The first step that matches and is
// not used up answers. A step with Turn or Results is never used up: it answers by what a
// request holds, so that the same request gets the same answer after a restart, too. Another
// step answers once, or Times times.
type Step struct {
	// Conditions.
	Expect  string `json:"expect"`  // a part of the request's texts: system prompt, messages, results
	Last    string `json:"last"`    // a part of the last message
	Model   string `json:"model"`   // the model that is asked
	Turn    *int   `json:"turn"`    // the number of the assistant's turns so far
	Results *int   `json:"results"` // the number of results of tools so far
	Times   int    `json:"times"`   // 0: as often as said above

	// The answer.
	Answer string       `json:"answer"`
	Calls  []ScriptCall `json:"calls"`
	Usage  *Usage       `json:"usage"` // nil: 10 and 5
	Stop   string       `json:"stop"`  // empty: as it is usual
	Delay  int          `json:"delay_ms"`

	// A fault instead of the answer.
	Fault      Fault  `json:"fault"`
	Status     int    `json:"status"`      // of HTTP; implies the fault status
	RetryAfter string `json:"retry_after"` // the header
	Message    string `json:"message"`     // what the provider says
}

// ScriptCall is a call of a tool.
type ScriptCall struct {
	ID        string          `json:"id"` // empty: as the wire has it
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // an object; a string is taken as the text itself, to be unreadable
}

// Usage is a number of tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Fault is a way in which a model does not answer.
type Fault string

// The faults.
const (
	FaultStatus  Fault = "status"        // another status than 200
	FaultUnknown Fault = "unknown_model" // in the provider's words
	FaultHang    Fault = "hang"          // no answer, ever
	FaultCut     Fault = "cut"           // the connection breaks in the middle
	FaultGarbage Fault = "garbage"       // no JSON
	FaultShape   Fault = "shape"         // JSON of another form
	FaultLate    Fault = "late_error"    // an error inside of an answer with status 200
	FaultFlood   Fault = "flood"         // an answer without end
)

// Text returns the text of the arguments.
func (c ScriptCall) Text() string {
	if len(c.Arguments) == 0 {
		return "{}"
	}
	var text string
	if c.Arguments[0] == '"' && json.Unmarshal(c.Arguments, &text) == nil {
		return text
	}
	return string(c.Arguments)
}

// Tokens returns the usage, or the usual one.
func (s Step) Tokens() Usage {
	if s.Usage != nil {
		return *s.Usage
	}
	return Usage{10, 5}
}

// Question is what a script sees of a request.
type Question struct {
	Model, Text, Last string
	Turns, Results    int
}

// matches reports whether a step's conditions hold.
func (s Step) matches(q Question) bool {
	return strings.Contains(q.Text, s.Expect) && strings.Contains(q.Last, s.Last) && (s.Model == "" || s.Model == q.Model) &&
		(s.Turn == nil || *s.Turn == q.Turns) && (s.Results == nil || *s.Results == q.Results)
}

// Script is a list of steps. It asks nobody, and is safe for concurrent use.
type Script struct {
	steps []Step
	mu    sync.Mutex
	used  []int // by step
}

// NewScript returns a script. A step without an answer and a fault answers with no text.
func NewScript(steps ...Step) *Script { return &Script{steps: steps, used: make([]int, len(steps))} }

// Next returns the step that answers a question; false: there is none.
func (s *Script) Next(q Question) (Step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, step := range s.steps {
		most := step.Times
		if most == 0 && step.Turn == nil && step.Results == nil {
			most = 1
		}
		if (most == 0 || s.used[i] < most) && step.matches(q) {
			s.used[i]++
			return step, true
		}
	}
	return Step{}, false
}

// Left returns how many steps have answered nothing so far.
func (s *Script) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := 0
	for _, n := range s.used {
		if n == 0 {
			left++
		}
	}
	return left
}

// Ask is [Providers.Ask].
func (s *Script) Ask(ctx context.Context, c route.Candidate, r Request) (Answer, route.Outcome, error) {
	r.Model = c.Model
	if name := r.check(); name != "" {
		return Answer{}, route.Outcome{Status: http.StatusBadRequest}, &Error{Kind: Invalid, Provider: c.Provider, Message: name + " is out of bounds"}
	}
	r = r.seen(nil) // a script reads texts
	step, ok := s.Next(questionOf(r))
	if !ok {
		step = Step{Status: http.StatusBadRequest, Message: "the script has no step left for this request: without turn or results, a line answers once, or as often as times says"}
	}
	if sleep.For(ctx, time.Duration(step.Delay)*time.Millisecond) != nil {
		return Answer{}, route.Outcome{}, &Error{Kind: Broken, Provider: c.Provider, Err: context.Cause(ctx)}
	}
	if failed := step.failure(ctx, c.Target); failed != nil {
		return Answer{}, failed.outcome(time.Time{}), failed
	}
	if r.OnText != nil && step.Answer != "" {
		r.OnText(step.Answer)
	}
	a := Answer{Text: step.Answer, InputTokens: step.Tokens().Input, OutputTokens: step.Tokens().Output}
	for _, call := range step.Calls {
		a.Calls = append(a.Calls, arguments(call.Tool, call.ID, call.Text()))
	}
	a.Calls, a.Stop = named(r, a.Calls), stopOf(step.Stop, len(step.Calls))
	return a, route.Outcome{Status: http.StatusOK, Took: time.Duration(step.Delay) * time.Millisecond}, nil
}

// questionOf returns what a script sees of a request.
func questionOf(r Request) Question {
	q := Question{Model: r.Model, Text: r.System + "\n"}
	for _, t := range turnsOf(r) {
		if t.role == assistant {
			q.Turns++
		}
		if t.role == tool {
			q.Last = strings.Join(t.results, "\n")
		} else {
			q.Last = t.text
		}
		q.Text += q.Last + "\n"
		q.Results += len(t.results)
	}
	return q
}

// failure returns the failure that a step is, as a [Client] would have it; nil: none.
func (s Step) failure(ctx context.Context, of route.Target) *Error {
	at := Error{Provider: of.Provider, Host: "the script"}
	switch {
	case s.Fault == FaultHang:
		<-ctx.Done()
		at.Kind, at.Err = Broken, context.Cause(ctx)
	case s.Fault == FaultCut:
		at.Kind, at.Err = Broken, errCut
	case s.Fault == FaultGarbage, s.Fault == FaultShape:
		at.Kind, at.Err = NotUnderstood, errShape
	case s.Fault == FaultFlood:
		at.Kind = TooLarge
	case s.Fault == FaultUnknown:
		at = *refused(http.StatusNotFound, nil, canon.Object(words("error", "model "+of.Model+" not found")), "")
	case s.Fault == FaultLate:
		at = *refused(http.StatusServiceUnavailable, nil, canon.Object(words("error", s.Message)), "")
	case s.Status != 0:
		at = *refused(s.Status, http.Header{"Retry-After": {s.RetryAfter}}, canon.Object(words("error", s.Message)), "")
	default:
		return nil
	}
	at.Provider, at.Host = of.Provider, "the script"
	return &at
}

// check refuses a step that contradicts itself.
func (s Step) check() error {
	known := []Fault{"", FaultStatus, FaultUnknown, FaultHang, FaultCut, FaultGarbage, FaultShape, FaultLate, FaultFlood}
	ok := false
	for _, f := range known {
		ok = ok || s.Fault == f
	}
	switch {
	case !ok:
		return errors.New("there is no fault " + aaif.Shown(string(s.Fault)))
	case s.Fault == FaultStatus && s.Status == 0:
		return errors.New("the fault status needs a status")
	case s.Status != 0 && (s.Status < 300 || s.Status > 599):
		return errors.New(strconv.Itoa(s.Status) + " is no status of a refusal")
	case (s.Fault != "" || s.Status != 0) && (s.Answer != "" || len(s.Calls) > 0) && s.Fault != FaultCut && s.Fault != FaultLate:
		return errors.New("a step is an answer or a fault")
	}
	for _, c := range s.Calls {
		if c.Tool == "" {
			return errors.New("a call names no tool")
		}
	}
	return nil
}
