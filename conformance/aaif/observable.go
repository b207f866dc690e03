package aaifsuite

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// observableChecks are about the duties of the level Observable.
func observableChecks() []check {
	return []check{
		{"AAIF-4.7-1", staged(observed)},
		{"AAIF-4.8-7", staged(promoted)},
	}
}

// The spans of a run (section 4.7).
const (
	runSpan     = "aaif.agent.run"
	modelSpan   = "aaif.agent.llm_call"
	toolSpan    = "aaif.agent.tool_call"
	handoffSpan = "aaif.agent.handoff"
)

// spanWait is how long a collector waits for the spans of a run that has ended. Platforms send
// them in batches, usually every five seconds. lateSpans is how long it waits for the others
// after the run's own.
const (
	spanWait  = 20 * time.Second
	lateSpans = 500 * time.Millisecond
)

// observed runs an agent that asks its model, calls a tool and hands over: without traces, and
// with them. Both name the same collector, so that spans of the first would come first.
func observed(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	if err := r.team(); err != nil {
		return err
	}
	var plays [2]performance
	for i, tracing := range []bool{false, true} {
		p, err := r.handsOver([]line{{calls: []canon.Value{want(lookTool, canon.Object())}}}, func(v canon.Value) canon.Value {
			return set(v, "/agent/telemetry", text("otlp_endpoint", r.world.base+collectorPath).With("tracing", canon.Bool(tracing)))
		})
		if err != nil {
			return err
		}
		if p.state.Get("output").Text() != "said by c" {
			return blocked(fmt.Errorf("a run that hands over ends as %s %s", p.status(), p.failed()))
		}
		plays[i] = p
	}
	wanted := map[string]int{runSpan: 1, modelSpan: 3, toolSpan: 1, handoffSpan: 1}
	traces := r.tracesOf(plays[1], wanted)
	switch {
	case r.world.spanCount() == 0:
		r.allow = r.setup()
		return conformance.Lacks("the platform sends no spans to the collector that the run plays at " + r.world.base + collectorPath + "; its operator has to let it")
	case len(r.world.tracesOf(plays[0].name)) > 0:
		return errors.New("with tracing false, spans are sent")
	case len(traces) != 1:
		return fmt.Errorf("the spans of a run are of %d traces", len(traces))
	}
	for _, counts := range traces {
		for name, n := range wanted {
			if counts[name] != n {
				return fmt.Errorf("the trace of a run with three calls of models, a call of a tool and a handoff has %v", counts)
			}
		}
	}
	return nil
}

// tracesOf waits for the spans of a run, and counts them by trace and name.
func (r stage) tracesOf(p performance, wanted map[string]int) map[string]map[string]int {
	late, end, poll := time.Time{}, r.Now().Add(spanWait), newPoll()
	for {
		traces := r.world.tracesOf(p.name)
		now := r.Now()
		for _, counts := range traces {
			if len(traces) == 1 && maps.Equal(counts, wanted) {
				return traces
			}
		}
		if len(traces) > 0 && late.IsZero() {
			late = now.Add(lateSpans)
		}
		if now.After(end) || !late.IsZero() && now.After(late) || r.ctx.Err() != nil {
			return traces
		}
		poll(r.ctx)
	}
}

// promoted evaluates two agents: one meets its thresholds, the other misses one of them. No
// metric needs a judge.
func promoted(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	if r.Hands == nil {
		return conformance.Lacks("AAIF has no route that evaluates an agent, and the run has nobody at the platform")
	}
	for _, c := range []struct {
		what  string
		says  line
		after aaif.Status
	}{
		{"all thresholds are met", line{calls: []canon.Value{want(lookTool, canon.Object())}}, aaif.Active},
		{"a threshold is missed", line{text: "I do not look."}, aaif.Draft},
	} {
		id, err := r.newID()
		if err != nil {
			return err
		}
		s, err := r.scene(play{agent: id, props: props{script: []line{c.says, {text: "That is all."}}}, edit: rated})
		if err != nil {
			return err
		}
		if err := r.Hands.Promote(r.ctx, id); err != nil {
			return named(c.what, err)
		}
		if len(s.requests()) == 0 {
			return fmt.Errorf("%s: the agent is not put to its test case", c.what)
		}
		kept := r.get(r.intake + "/" + url.PathEscape(id))
		if err := kept.is(http.StatusOK); err != nil {
			return err
		}
		if d := aaif.ReadDefinition(kept.Value); d.ID != id || d.Status != c.after {
			return fmt.Errorf("%s: agent %s is %s as %s, not %s", c.what, id, d.Status, d.ID, c.after)
		}
	}
	return nil
}

// rated makes a definition a draft, with a test case and metrics that need no judge.
func rated(v canon.Value) canon.Value {
	metric := func(name string, threshold int64) canon.Value {
		return text("name", name).With("threshold", canon.Int(threshold))
	}
	calls := canon.Object(canon.Member{Name: "tool_calls", Value: canon.Array(text("name", lookTool))})
	v = set(v, "/status", canon.String(string(aaif.Draft)))
	v = set(v, "/agent/evaluation/metrics", canon.Array(metric("tool_call_accuracy", 1), metric("latency_ms", int64(runTime/time.Millisecond))))
	return set(v, "/agent/evaluation/test_cases", canon.Array(text("id", "one", "input", "Book number 1.").With("expected_output", calls)))
}
