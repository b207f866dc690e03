package host

import (
	"context"
	"errors"
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

// reporter returns the reporter of a run.
func (h *Host) reporter(d aaif.Definition, of trace.Origin, s Settings, o route.Operator) reporter {
	p := reporter{Spans: trace.Spans{Origin: of, Now: h.opt.Now}, operator: o}
	if d.Agent.Telemetry.Traces() && of.Root.Valid() {
		p.To = h.recorder(d, s)
	}
	if d.Agent.Telemetry.Measures() {
		p.counts = &h.counts
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
		to := h.recorder(d, set)
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
		switch e.Kind {
		case run.Completed, run.Failed, run.Left:
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
	p := h.reporter(d, r.Start.Trace, set, route.Operator{})
	p.Whole(r.Began, r.Last, failure, trace.AboutRun(d)...)
	if kind != run.Left { // it ends elsewhere
		p.counts.run(status, r.Active)
	}
}

// reportTime is how long reading the definition of a run that has ended may take.
const reportTime = 10 * time.Second
