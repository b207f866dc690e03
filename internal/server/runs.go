package server

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// Runs say how the server runs agents, if [Options.Agents] is set.
type Runs struct {
	Host *host.Host // runs the agents of the server's owner; nil: none runs here
	Most int        // how many runs are executed at once; 0: 4
	// OnArrival lets the run of a state that arrives go on at once. Otherwise it waits
	// until its owner resumes it.
	OnArrival bool
	// Rules returns the policy for personal data of a kept agent; see [agents.Service.Policy].
	Rules func(ctx context.Context, c memory.Caller, agentID, stateID string) (pii aaif.PII, known bool, err error)
}

// hostedRuns runs agents for the AAIF binding.
type hostedRuns struct {
	Runs
	ending context.Context // ends when the server is about to stop
}

var _ aaifhttp.Runs = hostedRuns{}

// withCode gives an error of a run the code that the binding has for it.
func withCode(err error) error {
	for cause, f := range map[error]*aaif.Fault{
		run.ErrHeld:           {Code: aaifhttp.RunHeld, Text: "the run is being executed: cancel it, or wait until it waits"},
		run.ErrFenced:         {Code: aaifhttp.RunHeld, Text: "another program has taken the run over: look at it again"},
		run.ErrCrowded:        {Code: aaif.ConcurrencyLimit, Text: "as many runs of the agent are executed as its definition allows: wait until one ends"},
		run.ErrCopied:         {Code: aaifhttp.RunCopied, Text: "the run was going on elsewhere, or before the store was restored: resume it once nobody goes on with it there"},
		host.ErrOther:         {Code: aaifhttp.RunExists, Text: "there is a run of this id, and it was started with something else"},
		runstore.ErrRunExists: {Code: aaifhttp.RunExists, Text: "the run is here already"},
	} {
		if errors.Is(err, cause) {
			return f
		}
	}
	return err
}

// Start starts a run.
func (h hostedRuns) Start(ctx context.Context, c memory.Caller, s aaifhttp.RunStart) (aaifhttp.Run, bool, error) {
	if s.RunID == "" {
		var err error
		if s.RunID, err = aaif.NewID(rand.Reader); err != nil {
			return aaifhttp.Run{}, false, err
		}
	}
	job, err := h.Host.IsAsync(ctx, c, s.AgentID, s.Revision)
	if err != nil {
		return aaifhttp.Run{}, false, withCode(err)
	}
	job = job || s.Async
	r, fresh, err := h.Host.StartOnce(ctx, c, host.Start{
		Now:   !job,
		RunID: s.RunID, Agent: s.AgentID, Revision: s.Revision, Input: s.Input, Variables: s.Variables, User: s.User, Session: s.Session,
		Limits: run.Limits{Turns: s.Limits.Turns, Tokens: s.Limits.Tokens, USD: s.Limits.USD, Active: s.Limits.Active, Call: s.Limits.Call, Wait: s.Limits.Wait},
	})
	out := runOf(r, true)
	out.Job = job && err == nil
	return out, fresh, withCode(err)
}

// Text returns the pieces of answers as models say them.
func (h hostedRuns) Text(c memory.Caller, id string) (<-chan string, func()) {
	return h.Host.Text(c, id)
}

// GoOn starts the run of a kept checkpoint.
func (h hostedRuns) GoOn(ctx context.Context, c memory.Caller, stateID string) (aaifhttp.Run, error) {
	r, err := h.Host.GoOn(ctx, c, stateID)
	return runOf(r, true), withCode(err)
}

// runOf describes a run. here is false if it goes on only once a person resumes it.
func runOf(r run.Run, here bool) aaifhttp.Run {
	out := aaifhttp.Run{
		RunID: r.ID, AgentID: r.Start.Agent, Revision: r.Start.Revision, Status: r.Status, Events: r.Events, Began: r.Began, Changed: r.Last,
		Turns: r.Turns(), Output: r.Output, Err: r.Err, Platform: r.Platform, Usage: usageOf(r.Usage),
	}
	for _, t := range r.Threads {
		out.Threads = append(out.Threads, aaifhttp.RunThread{In: t.In, AgentID: t.Worker().Agent, Alias: t.Start.Alias, Status: t.Status, Skipped: t.Skipped != "", Turns: t.Iteration, Output: t.Output, Err: t.Err, Usage: usageOf(t.Usage)})
	}
	if r.Status.Ended() || r.Status == aaif.Migrating {
		return out
	}
	out.Resume = !here || r.Status == aaif.Paused
	for t, c := range r.Asking() {
		out.Waits = append(out.Waits, aaifhttp.RunWait{Call: c.ID, Tool: c.Tool, Arguments: c.Arguments, Why: c.Why, Digest: c.Digest, AskedAt: c.AskedAt, Until: c.Until, In: t.In, Agent: t.Worker().Agent})
	}
	return out
}

func usageOf(u run.Usage) canon.Value {
	return canon.Object(canon.Member{Name: "input_tokens", Value: canon.Int(int64(u.Input))}, canon.Member{Name: "output_tokens", Value: canon.Int(int64(u.Output))},
		canon.Member{Name: "usd", Value: canon.Number(u.USD)}, canon.Member{Name: "unpriced", Value: canon.Bool(u.Unpriced)})
}

// List lists runs.
func (h hostedRuns) List(ctx context.Context, c memory.Caller, agentID string, after aaifhttp.RunPlace, limit int) ([]aaifhttp.Run, error) {
	if agentID != "" {
		agentID = agents.IDOf(agentID)
	}
	rows, err := h.Host.List(ctx, c, agentID, runstore.Place{Began: after.Began, ID: after.RunID}, limit)
	list := make([]aaifhttp.Run, len(rows))
	for i, row := range rows {
		list[i] = aaifhttp.Run{RunID: row.ID, AgentID: row.Agent, Revision: int(row.Revision), Status: aaif.RunStatus(row.Status), Events: row.Events, Began: row.Began, Changed: row.Changed}
	}
	return list, withCode(err)
}

// Run returns a run as it stands.
func (h hostedRuns) Run(ctx context.Context, c memory.Caller, id string) (aaifhttp.Run, error) {
	_, here, err := h.Host.Head(ctx, c, id)
	if err != nil {
		return aaifhttp.Run{}, withCode(err)
	}
	r, _, err := h.Host.Get(ctx, c, id)
	return runOf(r, here), withCode(err)
}

// Events returns events of a run.
func (h hostedRuns) Events(ctx context.Context, c memory.Caller, id string, after int64, limit int) ([]aaifhttp.RunEvent, bool, error) {
	row, _, err := h.Host.Head(ctx, c, id)
	if err != nil {
		return nil, false, withCode(err)
	}
	events, err := h.Host.Page(ctx, c, id, after, limit)
	list := make([]aaifhttp.RunEvent, len(events))
	for i, e := range events {
		if err == nil {
			list[i], err = eventOf(e)
		}
		after = e.Number
	}
	return list, aaif.RunStatus(row.Status).Ended() && after >= row.Events, withCode(err)
}

// eventOf returns an event without what only providers and this program understand.
func eventOf(e run.Event) (aaifhttp.RunEvent, error) {
	e = e.Outline()
	e.Carry, e.Context = nil, nil
	if e.Start != nil {
		start := *e.Start
		start.State, start.Agents, e.Start = nil, nil, &start
	}
	raw, err := e.Encode()
	if err != nil {
		return aaifhttp.RunEvent{}, err
	}
	v := canon.Object(canon.Member{Name: "number", Value: canon.Int(e.Number)})
	for _, m := range run.Value(raw).Members() {
		if m.Name == "start" {
			m.Value = m.Value.With("limits", limitsOf(e.Start.Limits))
		}
		v = v.With(m.Name, m.Value)
	}
	return aaifhttp.RunEvent{Number: e.Number, Kind: string(e.Kind), Document: v}, nil
}

// limitsOf returns limits as a request says them.
func limitsOf(l run.Limits) canon.Value {
	whole := func(name string, n int) canon.Member { return canon.Member{Name: name, Value: canon.Int(int64(n))} }
	return canon.Object(whole("turns", l.Turns), whole("tokens", l.Tokens), canon.Member{Name: "usd", Value: canon.Number(l.USD)},
		whole("seconds", int(l.Active.Seconds())), whole("call_seconds", int(l.Call.Seconds())), whole("wait_seconds", int(l.Wait.Seconds())))
}

// Await waits for an event of a run, or until the server is about to stop.
func (h hostedRuns) Await(ctx context.Context, c memory.Caller, id string, after int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.ending, cancel)()
	err := h.Host.Await(ctx, c, id, after)
	if err != nil && h.ending.Err() != nil {
		return aaifhttp.Stopping()
	}
	return withCode(err)
}

// Checkpoint returns a run as a state, by the policy of its agent (AAIF-12-10).
func (h hostedRuns) Checkpoint(ctx context.Context, c memory.Caller, id string) (canon.Value, error) {
	stateID, err := aaif.NewID(rand.Reader)
	if err != nil {
		return canon.Value{}, err
	}
	state, err := h.Host.Checkpoint(ctx, c, id, stateID)
	if err != nil {
		return canon.Value{}, withCode(err)
	}
	pii, _, err := h.Rules(ctx, c, aaif.ReadState(state).AgentID, "")
	if err != nil {
		return canon.Value{}, err
	}
	state, _, err = agents.ByPolicy(state, pii)
	return state, err
}

// Decide approves or rejects a call.
func (h hostedRuns) Decide(ctx context.Context, c memory.Caller, id string, d aaifhttp.Decision) (aaifhttp.Run, error) {
	if d.Approve {
		return h.changed(h.Host.Approve(ctx, c, id, d.Call, d.Digest))
	}
	return h.changed(h.Host.Reject(ctx, c, id, d.Call, d.Why))
}

// Resume lets a run go on.
func (h hostedRuns) Resume(ctx context.Context, c memory.Caller, id string) (aaifhttp.Run, error) {
	return h.changed(h.Host.Resume(ctx, c, id))
}

// Cancel ends a run.
func (h hostedRuns) Cancel(ctx context.Context, c memory.Caller, id string) (aaifhttp.Run, error) {
	return h.changed(h.Host.Cancel(ctx, c, id))
}

func (h hostedRuns) changed(r run.Run, err error) (aaifhttp.Run, error) {
	return runOf(r, true), withCode(err)
}

// Remove removes a run.
func (h hostedRuns) Remove(ctx context.Context, c memory.Caller, id string) (bool, error) {
	pending, err := h.Host.Remove(ctx, c, id)
	return pending, withCode(err)
}
