package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// restored sends a checkpoint of the agent and lets its run go on.
func (r stage) restored(p play, change func(canon.Value) canon.Value) (performance, error) {
	if err := r.moves(); err != nil {
		return performance{}, blocked(err)
	}
	s, err := r.scene(p)
	if err != nil {
		return performance{}, err
	}
	v, err := r.state()
	if err != nil {
		return performance{}, err
	}
	if v, err = r.ready(change(resting(v))); err != nil {
		return performance{}, err
	}
	if err := named("a checkpoint of an agent with tools", r.land(v).taken()); err != nil {
		return performance{}, err
	}
	a := r.do(ask{method: http.MethodPost, path: r.States + "/" + url.PathEscape(v.Get("state_id").Text()) + "/resume"})
	if a.Err == nil && a.code() == "RUN_EXISTS" { // the operator lets states go on when they arrive
		a = r.get(r.Runs + "/" + url.PathEscape(v.Get("run_id").Text()))
	}
	return r.follow(s, a)
}

// resting makes a state one of [Runner], after its first turn.
func resting(v canon.Value) canon.Value {
	return v.With("agent_id", canon.String(Runner)).Without("pipeline_position").Without("pending_tool_calls").With("memory_snapshot", canon.Array()).With("iteration", canon.Int(1)).
		With("conversation", canon.Array(text("role", "user", "content", "Book number 1.")))
}

func countsOn(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	for iteration, turns := range map[int64]int{9: 1, 10: 0} {
		p, err := r.restored(play{props: props{script: looking()}, edit: most(10)}, func(v canon.Value) canon.Value { return v.With("iteration", canon.Int(iteration)) })
		if err != nil {
			return err
		}
		if n := len(p.requests()); n != turns || p.failed() != string(aaif.MaxIterations) {
			return fmt.Errorf("from iteration %d of 10 on, the model is asked %d times and not %d, and the run is %s %s", iteration, n, turns, p.status(), p.failed())
		}
	}
	return nil
}

// reissued restores a checkpoint with two calls in flight: one reads and one writes.
func reissued(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	pending := func(id, tool string, arguments canon.Value) canon.Value {
		return text("id", id, "tool_name", tool, "status", "in_flight").With("arguments", arguments)
	}
	p, err := r.restored(play{props: props{script: []line{{text: "That is all."}}}}, func(v canon.Value) canon.Value {
		return v.With("pending_tool_calls", canon.Array(pending("call_1", lookTool, canon.Object()), pending("call_2", bookTool, booking())))
	})
	if err != nil {
		return err
	}
	told := p.results()
	timedOut := func(i int) bool { return i < len(told) && strings.Contains(told[i], "timed_out") }
	looked := len(p.calls(lookTool))
	switch {
	case len(p.calls(bookTool)) > 0:
		return errors.New("a call that writes and was under way is made again")
	case p.status() != string(aaif.Completed) || len(told) != 2:
		return fmt.Errorf("the model is told of %d calls that were under way, not of 2, and the run is %s %s", len(told), p.status(), p.failed())
	case !timedOut(1):
		return errors.New("the model is not told timed_out of a call that writes and was under way")
	case looked != 1 && !(looked == 0 && timedOut(0)):
		return errors.New("a call that reads and was under way is made " + strconv.Itoa(looked) + " times")
	}
	return nil
}
