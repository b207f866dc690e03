package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// runID is the id of most runs here.
const runID = "11111111-2222-4333-8444-555555555555"

// journal keeps runs in memory. It can break at any write, as a program that is killed
// does: before what it writes is there, or after.
type journal struct {
	mu     sync.Mutex
	runs   map[string]*entry
	writes int
	breaks func(write int) (before, after bool) // nil: never

	renewals, together int // how often leases were renewed, and how many at once at most
}

type entry struct {
	events [][]byte
	fence  int64
	holder string
	stands run.Standing
	copied bool  // it comes from another store
	dead   int64 // the fence of a program that was killed
}

var errKilled = errors.New("killed")

func newJournal() *journal { return &journal{runs: map[string]*entry{}} }

func (j *journal) Start(_ context.Context, id string, first run.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, err := first.Encode()
	j.runs[id] = &entry{events: [][]byte{raw}}
	return err
}

func (j *journal) Events(_ context.Context, id string, after int64) (all []run.Event, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, raw := range j.runs[id].events {
		if int64(i) < after {
			continue
		}
		e, err := run.Decode(int64(i+1), raw)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func (j *journal) Hold(_ context.Context, id string, h run.Hold) (run.Place, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.runs[id]
	switch {
	case e.holder != "" && !h.Force:
		return run.Place{}, run.ErrHeld
	case e.copied && !h.Resumes:
		return run.Place{}, run.ErrCopied
	}
	place := run.Place{Fence: e.fence + 1, Copied: e.copied}
	if e.copied {
		raw, err := h.Adopted.Encode()
		if err != nil {
			return run.Place{}, err
		}
		e.events = append(e.events, raw)
	}
	e.fence, e.holder, e.copied = place.Fence, h.Holder, false
	return place, nil
}

func (j *journal) Append(ctx context.Context, id string, fence int64, _ time.Duration, to run.Standing, events []run.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.runs[id]
	if e.fence != fence || e.holder == "" {
		return run.ErrFenced
	}
	if len(events) == 0 {
		return nil
	}
	if e.dead != fence && events[0].Number != int64(len(e.events))+1 {
		return run.ErrFenced
	}
	if e.dead == fence {
		return errKilled
	}
	j.writes++
	before, after := false, false
	if j.breaks != nil {
		before, after = j.breaks(j.writes)
	}
	if before || after {
		e.dead = fence
	}
	if before {
		return errKilled
	}
	for _, ev := range events {
		raw, err := ev.Encode()
		if err != nil {
			return err
		}
		e.events = append(e.events, raw)
	}
	e.stands = to
	if after {
		return errKilled
	}
	return nil
}

func (j *journal) Join(_ context.Context, id string, e run.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	of := j.runs[id]
	if of.holder == "" || e.Number != int64(len(of.events))+1 {
		return run.ErrFenced
	}
	raw, err := e.Encode()
	of.events = append(of.events, raw)
	return err
}

func (j *journal) Renew(_ context.Context, _ time.Duration, fences map[string]int64) (lost []string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.renewals, j.together = j.renewals+1, max(j.together, len(fences))
	for id, fence := range fences {
		if e := j.runs[id]; e.fence != fence || e.holder == "" {
			lost = append(lost, id)
		}
	}
	return lost, nil
}

// renewed returns how often leases were renewed, and how many at once at most.
func (j *journal) renewed() (renewals, together int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.renewals, j.together
}

func (j *journal) Release(_ context.Context, id string, fence int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e := j.runs[id]; e.fence == fence {
		e.holder = ""
	}
	return nil
}

// turns answers as a model does: by how many results of tools and texts it sees.
type turns struct {
	mu     sync.Mutex
	script []model.Answer
	asked  []model.Request
}

// Ask answers the n-th turn, n being the number of turns in the conversation.
func (m *turns) Ask(ctx context.Context, c route.Candidate, q model.Request) (model.Answer, route.Outcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q.OnText = nil
	m.asked = append(m.asked, q)
	n := 0
	for i, msg := range q.Messages {
		if msg.Role == "assistant" && (i == 0 || q.Messages[i-1].Role != "assistant") {
			n++
		}
	}
	return m.script[min(n, len(m.script)-1)], route.Outcome{Status: 200}, nil
}

// bench is a bench of tools that count.
type bench struct {
	mu      sync.Mutex
	offered []tool.Offered
	calls   map[string]int    // by tool
	keys    map[string]int    // by tool and key
	effects map[string]bool   // by key, of tools that honour it
	fails   map[string]error  // by tool
	hook    func(c tool.Call) // before a call takes effect
}

func (b *bench) Offered() []tool.Offered { return b.offered }

func (b *bench) Check(_ string, args canon.Value) error {
	if args.Has("wrong") {
		return &tool.Error{Code: tool.ArgsInvalid, Outcome: tool.NotSent, Text: "wrong"}
	}
	return nil
}

func (b *bench) Await(_ context.Context, c tool.Call) (tool.Call, error) { return c, nil }

func (b *bench) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	b.mu.Lock()
	if b.calls == nil {
		b.calls, b.keys, b.effects = map[string]int{}, map[string]int{}, map[string]bool{}
	}
	b.calls[c.Name]++
	b.keys[c.Name+" "+c.Key]++
	b.effects[c.Key] = true
	hook, err := b.hook, b.fails[c.Name]
	b.mu.Unlock()
	if hook != nil {
		hook(c)
	}
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: `{"done":` + string(c.Arguments.AppendCanonical(nil)) + `}`}, ctx.Err()
}

// rules asks a person before tools whose names begin with "ask".
type rules struct {
	output  func(string) (run.Answer, error)
	heard   func(string) string // nil: everything may be read
	refuses string              // the tool that is never called
}

func (rules) System(context.Context, time.Time) (string, json.RawMessage, []run.Note, error) {
	return "Be a clerk.", nil, nil, nil
}

func (r rules) Call(_ context.Context, c aaif.Call, of tool.Offered, _ canon.Value) (run.Verdict, error) {
	if c.Tool == r.refuses {
		return run.Verdict{Refused: string(aaif.ConstraintViolation), Why: "never"}, nil
	}
	return run.Verdict{Ask: strings.HasPrefix(c.Tool, "ask") && !of.Nature.ReadOnly, Why: "it may write"}, nil
}

func (r rules) Heard(text string) (string, error) {
	if r.heard != nil {
		text = r.heard(text)
	}
	return text, nil
}

func (rules) Result(_ tool.Offered, text string) (string, []run.Note, error) { return text, nil, nil }

func (r rules) Output(_ context.Context, text string) (run.Answer, error) {
	if r.output == nil {
		return run.Answer{Text: text}, nil
	}
	return r.output(text)
}

// house is what a run needs, in memory.
type house struct {
	t       *testing.T
	journal *journal
	models  *turns
	bench   *bench
	rules   rules
	now     time.Time
	def     aaif.Definition
	route   route.Operator
	slept   []time.Duration
}

func open(t *testing.T, script ...model.Answer) *house {
	def := `{"sc_standard":"SC-006","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","model":{"provider":"openai","preferred":"m"}}}`
	v, err := aaif.FromJSON([]byte(def), aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	write, read, same := aaif.ToolNature{Bound: true}, aaif.ToolNature{Bound: true, ReadOnly: true}, aaif.ToolNature{Bound: true, Idempotent: true}
	b := &bench{}
	for name, nature := range map[string]aaif.ToolNature{"pay": write, "look": read, "book": same, "askpay": write, "askbook": same} {
		b.offered = append(b.offered, tool.Offered{Name: name, Nature: nature, Of: aaif.Tool{Name: name}})
	}
	slices.SortFunc(b.offered, func(x, y tool.Offered) int { return strings.Compare(x.Name, y.Name) })
	return &house{
		t: t, journal: newJournal(), models: &turns{script: script}, bench: b, def: aaif.ReadDefinition(v),
		now:   time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC),
		route: route.Operator{Providers: []route.Provider{{Name: "openai", BaseURL: "https://models.example"}}},
	}
}

// executor returns a program that executes runs.
func (h *house) executor(name string) *run.Executor {
	return &run.Executor{
		Journal: h.journal, Holder: name, Lease: time.Minute, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { h.now = h.now.Add(time.Millisecond); return h.now },
		Sleep: func(_ context.Context, d time.Duration) error {
			h.slept, h.now = append(h.slept, d), h.now.Add(d)
			return nil
		},
		Open: func(context.Context, *run.Run, *run.Thread) (*run.Setup, error) {
			return &run.Setup{Definition: h.def, Operator: h.route, Models: h.models, Tools: h.bench, Rules: h.rules, Close: func() {}}, nil
		},
	}
}

// start starts a run.
func (h *house) start(s run.Start) {
	h.t.Helper()
	if s.Limits == (run.Limits{}) {
		s.Limits = run.DefaultLimits().Of(h.def.Agent)
	}
	s.Agent, s.Revision = h.def.ID, 1
	if s.Input == nil && s.State == nil {
		s.Input = []byte(`"Book number 1."`)
	}
	if err := h.journal.Start(h.t.Context(), runID, run.Event{Number: 1, At: h.now, Kind: run.Started, Start: &s}); err != nil {
		h.t.Fatal(err)
	}
}

// goOn executes the run.
func (h *house) goOn() run.Run {
	h.t.Helper()
	r, err := h.executor("a").Continue(h.t.Context(), runID, run.ContinueOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// kinds lists the kinds of the run's events.
func (h *house) kinds() string {
	events, err := h.journal.Events(h.t.Context(), runID, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	var all []string
	for _, e := range events {
		all = append(all, string(e.Kind))
	}
	return strings.Join(all, " ")
}

// says is a turn with the answer.
func says(text string) model.Answer {
	return model.Answer{Text: text, InputTokens: 10, OutputTokens: 5}
}

// calls is a turn with calls of tools, each with an argument n.
func calls(names ...string) model.Answer {
	a := model.Answer{InputTokens: 10, OutputTokens: 5}
	for i, name := range names {
		args := canon.Object(canon.Member{Name: "n", Value: canon.Int(int64(i + 1))})
		a.Calls = append(a.Calls, aaif.Call{ID: fmt.Sprint("c", i+1), Tool: name, Arguments: args})
	}
	return a
}
