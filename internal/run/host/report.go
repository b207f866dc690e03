package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/memory"
)

// reporter reports what an execution of a run does: as spans, and in counts (section 4.7).
type reporter struct {
	trace.Spans
	counts   *counts // nil: nothing is counted
	operator route.Operator
}

// subject says whose work a reporter reports.
type subject struct {
	span trace.Origin
	all  []aaif.Definition // the agent, and those that it works for, as far as they are kept here
	own  aaif.Definition   // of the run's own agent
}

// subjectOf returns whose work a thread of a run is. all are its agent and those that it works
// for. A thread in which the leader of a team works itself is no run of its own.
func subjectOf(r *run.Run, t *run.Thread, all []aaif.Definition) subject {
	of := subject{span: r.Start.Trace, all: all}
	of.span.Root = spanOf(r, t)
	for _, d := range all {
		if d.ID == r.Start.Agent {
			of.own = d
		}
	}
	return of
}

// spanOf returns the span of a thread's agent as a whole.
func spanOf(r *run.Run, t *run.Thread) trace.Context {
	for t.In != "" && t.Start.Own {
		over := r.Over(t)
		if len(over) == 0 {
			break
		}
		t = over[0]
	}
	if t.In == "" {
		return r.Start.Trace.Root
	}
	return r.Start.Trace.Root.Sub(t.In)
}

// reporter returns the reporter of an agent's work.
func (h *Host) reporter(of subject, s Settings, o route.Operator) reporter {
	p := reporter{Spans: trace.Spans{Origin: of.span, Now: h.opt.Now}, counts: &h.counts, operator: o}
	traces := of.span.Root.Valid()
	for _, d := range of.all {
		traces = traces && d.Agent.Telemetry.Traces()
	}
	if n := len(of.all); n > 0 {
		p.Header = of.all[n-1].Agent.Telemetry.Header
		if !of.all[n-1].Agent.Telemetry.Measures() {
			p.counts = nil
		}
	}
	if traces {
		p.To = h.recorder(of.own, of.all, s)
	}
	return p
}

// origin returns where a run that starts stands in a trace: within the request that starts it,
// or after the run that its state was captured of.
func (h *Host) origin(ctx context.Context, d aaif.Definition, s Start, set Settings) trace.Origin {
	parent := trace.From(ctx)
	if of := run.TraceOf(s.State); of.Valid() && of.Trace != parent.Trace {
		parent = of
	}
	return trace.NewOrigin(parent, func(root trace.Context) bool {
		to := h.recorder(d, nil, set)
		return to == nil || to.Samples(root) // without a collector here, another server may have one
	})
}

// reportedModels reports what models are asked.
type reportedModels struct {
	run.Models
	by reporter
}

// Ask implements [run.Models].
func (m reportedModels) Ask(ctx context.Context, c route.Candidate, q model.Request) (model.Answer, route.Outcome, error) {
	ctx, end := m.by.Begin(ctx, trace.LLMCall, trace.AboutModel(c.Provider, c.Model)...)
	a, outcome, err := m.Models.Ask(ctx, c, q)
	if err != nil {
		end(modelFailure(ctx, outcome))
		return a, outcome, err
	}
	used := run.Counted(a, q)
	end("", trace.Tokens(used.InputTokens, used.OutputTokens)...)
	m.by.counts.model(c.Target, run.UsageOf(used, c.Target, m.by.operator))
	return a, outcome, nil
}

// modelFailure names why a model did not answer: the status of HTTP, or what became of the
// request.
func modelFailure(ctx context.Context, o route.Outcome) string {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "timeout"
	case ctx.Err() != nil:
		return "canceled"
	case o.Status != 0:
		return strconv.Itoa(o.Status)
	}
	return string(route.Unavailable)
}

// reportedTools reports which tools are called.
type reportedTools struct {
	run.Tools
	by    reporter
	about map[string][]trace.Attribute // by the name of the tool
}

func (p reporter) tools(t run.Tools) reportedTools {
	all := reportedTools{t, p, map[string][]trace.Attribute{}}
	for _, o := range t.Offered() {
		if o.Missing == nil {
			all.about[o.Name] = trace.AboutTool(o.Name, o.Of)
		}
	}
	return all
}

// Call implements [run.Tools].
func (t reportedTools) Call(ctx context.Context, c tool.Call) (tool.Result, error) {
	ctx, end := t.by.Begin(ctx, trace.ToolCall, t.about[c.Name]...)
	r, err := t.Tools.Call(ctx, c)
	failure, status := "", succeeded
	if failed, ok := errors.AsType[*tool.Error](err); ok {
		failure, status = string(failed.Code), failedStatus
		if failed.Code == tool.Timeout {
			status = timedOut
		}
	} else if err != nil {
		failure, status = "canceled", failedStatus
	} else if r.IsError {
		failure, status = string(aaif.ToolSaysNo), failedStatus
	}
	end(failure)
	t.by.counts.tool(c.Name, status)
	return r, err
}

// listen returns what hears the events of a caller's runs. It notes which runs end here.
func (h *Host) listen(c memory.Caller) func(id string, e run.Event) {
	return func(id string, e run.Event) {
		ends := e.Kind == run.Completed || e.Kind == run.Failed || e.Kind == run.Left
		if ends && e.In == "" {
			h.mu.Lock()
			h.endings[place{c.Owner, id}] = e.Kind
			h.mu.Unlock()
		}
		if h.opt.OnEvent != nil {
			h.opt.OnEvent(id, e)
		}
	}
}

// reportEnd reports a run as a whole, if it has ended here.
func (h *Host) reportEnd(ctx context.Context, c memory.Caller, r run.Run) {
	at := place{c.Owner, r.ID}
	h.mu.Lock()
	kind := h.endings[at]
	delete(h.endings, at)
	h.mu.Unlock()
	if kind == "" || !r.Status.Ended() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTime)
	defer cancel()
	d, err := h.Definition(ctx, c, &r)
	set, failed := h.settings()
	if err = errors.Join(err, failed); err != nil {
		h.opt.Log.Warn("the end of a run is not reported", "run", r.ID, "err", err)
		return
	}
	d.ID = r.Start.Agent
	failure, status := "", succeeded
	if r.Err != nil {
		failure, status = r.Err.Code, failedStatus
		if failure == string(aaif.RunTimeout) {
			status = timedOut
		}
	}
	p := h.reporter(subject{r.Start.Trace, []aaif.Definition{d}, d}, set, route.Operator{})
	p.Whole(trace.Run, r.Began, r.Last, failure, trace.AboutRun(d)...)
	if kind != run.Left { // it ends elsewhere
		p.counts.run(status, r.Active)
	}
	if err := (endReport{h, c, &r, d, set}).threads(ctx); err != nil {
		h.opt.Log.Warn("the subagents of a run are not reported", "run", r.ID, "err", err)
	}
}

// endReport reports the subagents and the handoffs of a run that has ended here.
type endReport struct {
	h      *Host
	caller memory.Caller
	run    *run.Run
	own    aaif.Definition // of its own agent
	set    Settings
}

// threads records the spans of the subagents of a run that has ended, and of its handoffs,
// as the journal has them.
func (e endReport) threads(ctx context.Context) error {
	h, r, own, set := e.h, e.run, e.own, e.set
	if len(r.Threads) == 0 && len(r.Agents) < 2 {
		return nil
	}
	events, err := h.Events(ctx, e.caller, r.ID, 0)
	if err != nil {
		return err
	}
	began, ended := map[string]time.Time{}, map[string]time.Time{}
	for _, said := range events {
		switch said.Kind {
		case run.Dispatched:
			began[said.In] = said.At
		case run.Completed, run.Failed, run.Cancelled:
			ended[said.In] = said.At
		case run.Handed:
			if t := r.Of(said.In); t != nil {
				of := subject{span: trace.Origin{Root: r.Start.Trace.Root.Sub(fmt.Sprint("handoff ", said.Number)), Parent: spanOf(r, t)}, own: own, all: []aaif.Definition{own}}
				h.reporter(of, set, route.Operator{}).Whole(trace.Handoff, said.At, said.At, "", trace.AboutHandoff(said.Start.Agent, said.Start.Conversation)...)
			}
		}
	}
	for _, t := range r.Threads {
		at, here := began[t.In]
		end, ends := ended[t.In]
		switch {
		case t.Start.Own, t.Skipped != "", !here && !ends:
			continue
		case !here: // it came with the run
			at = r.Began
		case !ends: // with the one that it worked for
			end = r.Last
		}
		if err := e.thread(ctx, t, at, end); err != nil {
			return err
		}
	}
	return nil
}

// thread records the span of a subagent.
func (e endReport) thread(ctx context.Context, t *run.Thread, began, ended time.Time) error {
	r := e.run
	of := subject{span: trace.Origin{Root: spanOf(r, t), Parent: r.Start.Trace.Root}, own: e.own, all: []aaif.Definition{e.own}}
	if over := r.Over(t); len(over) > 0 {
		of.span.Parent = spanOf(r, over[0])
	}
	about, failure := trace.AboutRemote(t.Start.Remote), ""
	if t.Start.Remote == "" && len(t.Agents) > 0 {
		d, err := e.h.pinned(ctx, e.caller, t.Agents[0])
		if err != nil {
			return err
		}
		of.all, about = append(of.all, d), trace.AboutRun(d)
	}
	if t.Err != nil {
		failure = t.Err.Code
	}
	e.h.reporter(of, e.set, route.Operator{}).Whole(trace.Run, began, ended, failure, about...)
	return nil
}

// reportTime is how long reading the definition of a run that has ended may take.
const reportTime = 10 * time.Second
