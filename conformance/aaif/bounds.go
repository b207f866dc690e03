package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// looking is the script of a model that calls a tool in every turn.
func looking() []line {
	return []line{{calls: []canon.Value{want(lookTool, canon.Object())}}}
}

// endless runs an agent whose model calls a tool in every turn. It expects the run to end
// after a number of turns.
func (r stage) endless(turns int, edit func(canon.Value) canon.Value) error {
	p, err := r.perform(play{props: props{script: looking()}, edit: edit})
	if err != nil {
		return err
	}
	if n := len(p.requests()); n != turns || p.status() != string(aaif.Failed) || p.failed() != string(aaif.MaxIterations) {
		return fmt.Errorf("the model is asked %d times and not %d, and the run ends as %s %s", n, turns, p.status(), p.failed())
	}
	return p.formed()
}

// formed looks for the members of the error of a run (AAIF-4.6-10).
func (p performance) formed() error {
	for _, name := range []string{"code", "message", "step", "occurred_at"} {
		if p.state.Get("error").Get(name).Text() == "" {
			return errors.New("the error of the run has no " + name)
		}
	}
	if p.state.Get("error").Get("retries_remaining").Type() != canon.TypeNumber {
		return errors.New("the error of the run does not say how many retries remain")
	}
	return nil
}

func most(turns int64) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value {
		return set(v, "/agent/orchestration/max_iterations", canon.Int(turns))
	}
}

func bounded(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	return conformance.First(
		named("max_iterations 3", r.endless(3, most(3))),
		named("no max_iterations", r.endless(10, nil)),
		r.turnsDown("max_iterations 0", most(0)(r.definition(""))))
}

// timed runs an agent whose model never answers.
func timed(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	began := r.Now()
	p, err := r.perform(play{props: props{script: []line{{hang: true}}}, edit: func(v canon.Value) canon.Value {
		return set(v, "/agent/runtime/timeout_seconds", canon.Int(1))
	}})
	if err != nil {
		return err
	}
	took := r.Now().Sub(began).Seconds()
	switch {
	case p.status() != string(aaif.Failed) || p.failed() != string(aaif.RunTimeout):
		return fmt.Errorf("after timeout_seconds the run is %s %s", p.status(), p.failed())
	case took > startWait:
		return fmt.Errorf("with timeout_seconds 1 the run takes %.1f seconds", took)
	}
	conformance.Pause(r.ctx, pollTime)
	if !p.wasLet() {
		return errors.New("the run has ended, and its request to the model goes on")
	}
	return p.formed()
}

// onceOnly runs an agent whose model fails once after a call that succeeded.
func onceOnly(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	p, err := r.perform(play{props: props{script: []line{{calls: []canon.Value{want(bookTool, booking())}}, {status: http.StatusServiceUnavailable}, {text: "It is booked."}}}})
	if err != nil {
		return err
	}
	if n := len(p.calls(bookTool)); n != 1 || p.status() != string(aaif.Completed) || len(p.requests()) < 3 {
		return fmt.Errorf("the tool is called %d times, the model is asked %d times, and the run ends as %s %s", n, len(p.requests()), p.status(), p.failed())
	}
	return nil
}
