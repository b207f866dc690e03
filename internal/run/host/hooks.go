package host

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/memory"
)

// hookName returns the name of a definition's hook for a moment.
func hookName(d aaif.Definition, m run.Moment) string {
	e := d.Agent.Events
	return map[run.Moment]string{run.OnStart: e.OnStart, run.OnComplete: e.OnComplete, run.OnError: e.OnError, run.OnToolCall: e.OnToolCall}[m]
}

// aboutHook returns what every hook is told.
func aboutHook(m run.Moment, r *run.Run, more ...canon.Member) canon.Value {
	text := func(name, value string) canon.Member { return canon.Member{Name: name, Value: canon.String(value)} }
	return canon.Object(append([]canon.Member{text("hook", string(m)), text("run_id", r.ID), text("agent_id", r.Start.Agent)}, more...)...)
}

// hookCaller calls the hooks of runs.
type hookCaller struct{ *Host }

// hook returns the hook of a run for a moment; none if its definition names none, or the owner
// has registered none of its name. last is the event by which the run ends.
func (h hookCaller) hook(ctx context.Context, c memory.Caller, r *run.Run, m run.Moment, last run.Event) (run.Hook, error) {
	d, err := h.Definition(ctx, c, r)
	if err != nil {
		return run.Hook{}, err
	}
	name := hookName(d, m)
	if name == "" {
		return run.Hook{}, nil
	}
	s, err := h.settings()
	if err != nil || !s.Tools.HasHook(name) {
		return run.Hook{}, err
	}
	about := aboutHook(m, r)
	switch m {
	case run.OnStart:
		about = about.With("input", run.Value(r.Start.Input))
	case run.OnComplete:
		about = about.With("output", canon.String(last.Text))
	case run.OnError:
		about = about.With("error", canon.Object(canon.Member{Name: "code", Value: canon.String(last.Code)}, canon.Member{Name: "message", Value: canon.String(last.Text)}))
	}
	return run.Hook{Name: name, Call: func(ctx context.Context) error {
		denied, err := s.Tools.CallHook(ctx, name, s.Env, about)
		if err == nil && denied != "" {
			err = errors.New(denied)
		}
		return err
	}}, nil
}

// onCall returns what is asked before every call of a tool: the hooks of the agent, and of those
// that it works for. One that cannot be run denies the call. nil: there are none.
func (h hookCaller) onCall(r *run.Run, s Settings, all []aaif.Definition) func(context.Context, aaif.Call) (string, error) {
	var names []string
	for _, d := range all {
		if name := hookName(d, run.OnToolCall); name != "" && s.Tools.HasHook(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return func(ctx context.Context, call aaif.Call) (string, error) {
		about := aboutHook(run.OnToolCall, r, canon.Member{Name: "call_id", Value: canon.String(call.ID)},
			canon.Member{Name: "tool", Value: canon.String(call.Tool)}, canon.Member{Name: "arguments", Value: call.Arguments})
		for _, name := range names {
			denied, err := s.Tools.CallHook(ctx, name, s.Env, about)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil {
				return err.Error(), nil
			}
			if denied != "" {
				return denied, nil
			}
		}
		return "", nil
	}
}
