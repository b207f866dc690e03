package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// continuedChecks are about what holds where a run goes on: at a step, after a handoff that
// broke off, at another agent, in a region.
func continuedChecks() []check {
	return []check{
		{"AAIF-8.2-5", staged(atItsStep)},
		{"AAIF-8.3-8", staged(brokenOff)},
		{"AAIF-12-6", staged(handedOver)},
		{"AAIF-12-9", staged(regional)},
	}
}

// atItsStep restores a pipeline at its second step.
func atItsStep(r stage) error {
	if err := r.team(); err != nil {
		return err
	}
	p, err := r.restored(r.teamPlay("It is for nobody.", 0, func(o canon.Value) canon.Value {
		return o.With("role", canon.String("orchestrator")).With("subagents", r.subagents(members()...)).With("pipeline", list("a", "b", "c"))
	}), func(v canon.Value) canon.Value {
		return v.With("pipeline_position", text("current_step", "b").With("completed_steps", list("a")).With("remaining_steps", list("c")))
	})
	if err != nil {
		return err
	}
	if got := p.models(); !slices.Equal(got, []string{"b", "c"}) || p.status() != string(aaif.Completed) {
		return fmt.Errorf("at step b of a, b and c, the models %q are asked, and the run is %s %s", got, p.status(), p.failed())
	}
	return nil
}

// brokenOff hands a run over that the source gives up, and asks for it to go on.
func brokenOff(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	if err := r.streams(); err != nil {
		return blocked(err)
	}
	s, err := r.scene(play{props: props{script: []line{{text: "That is all."}}}})
	if err != nil {
		return err
	}
	v, err := r.state()
	if err == nil {
		v, err = r.ready(resting(v))
	}
	if err != nil {
		return err
	}
	given := func(lines []string) []string {
		return append(lines[:len(lines)-1], `{"type":"handoff_error","code":"CONFORMANCE","message":"given up"}`)
	}
	if err := r.stops("a handoff that the source gives up", v, given); err != nil {
		return err
	}
	resumed := r.do(ask{method: http.MethodPost, path: r.States + "/" + url.PathEscape(v.Get("state_id").Text()) + "/resume"})
	shown := r.get(r.Runs + "/" + url.PathEscape(v.Get("run_id").Text()))
	status := aaif.RunStatus(shown.Value.Get("status").Text())
	switch {
	case resumed.taken() == nil, shown.is(http.StatusOK) == nil && status != aaif.Failed:
		return fmt.Errorf("after a handoff_error the run goes on: it is %s", status)
	case len(s.requests()) > 0:
		return errors.New("after a handoff_error a model is asked")
	}
	return nil
}

// handedOver looks for the constraint of an agent in what the model of the next one is told.
func handedOver(r stage) error {
	if err := r.team(); err != nil {
		return err
	}
	p, err := r.handsOver(nil, func(v canon.Value) canon.Value { return set(v, "/agent/constraints", list(constraint)) })
	if err != nil {
		return err
	}
	if !strings.Contains(p.told("c"), constraint) {
		return errors.New("the model of an agent that a run is handed to is not told of the constraint")
	}
	return nil
}

// regional runs a pipeline of one agent. The region is that of the agent that it works for, and
// binds it as well.
func regional(r stage) error {
	if err := r.team(); err != nil {
		return err
	}
	scripts := map[string][]line{"a": {{text: "said by a"}}}
	return r.inRegions("the model of a subagent", play{props: props{script: []line{{text: "It is for nobody."}}, others: scripts}, members: map[string]string{"a": r.ids["a"]}, edit: func(v canon.Value) canon.Value {
		v = set(v, "/agent/orchestration", text("role", "orchestrator").With("subagents", r.subagents("a")).With("pipeline", list("a")))
		return set(v, "/agent/telemetry", text("otlp_endpoint", r.world.base+collectorPath))
	}})
}
