package run

import (
	"context"
	"slices"
	"sync"
)

// Moment is when a hook of an agent is called (section 4, events).
type Moment string

// The moments. A hook of OnToolCall is called before a call is made, see [Guard].
const (
	OnStart    Moment = "on_start"
	OnComplete Moment = "on_complete"
	OnError    Moment = "on_error"
	OnToolCall Moment = "on_tool_call"
)

// The codes of the events Noted about hooks; Step is the moment. HookDenied is the code of a call
// that a hook denied.
const (
	hookAsked    = "hook.asked"
	hookAnswered = "hook.answered"
	hookFailed   = "hook.failed"
	HookDenied   = "HOOK_DENIED"
)

// Hook is a hook of a run. The zero Hook is none.
type Hook struct {
	Name string
	Call func(ctx context.Context) error
}

// hooks are the hooks of a run that this process executes. Each is written down before it is
// called, and after: one that was answered is not called again.
type hooks struct {
	mu     sync.Mutex
	called []Moment
}

// hooksOf returns what the journal says about hooks.
func hooksOf(events []Event) *hooks {
	h := &hooks{}
	for _, e := range events {
		if e.Kind == Noted && (e.Code == hookAnswered || e.Code == hookFailed) {
			h.called = append(h.called, Moment(e.Step))
		}
	}
	return h
}

// hook calls the hooks that come before events: that of the start before the first thing that is
// done, and that of the end before the run ends.
func (h *heldRun) hook(ctx context.Context, events []Event) error {
	if h.hooks == nil || h.x.Hook == nil || len(events) == 0 {
		return nil
	}
	before := slices.ContainsFunc(events, func(e Event) bool { return e.Kind != Noted && e.Kind != Resumed && e.Kind != Read })
	if !before {
		return nil
	}
	h.hooks.mu.Lock()
	defer h.hooks.mu.Unlock()
	if err := h.callHook(ctx, OnStart, Event{}); err != nil {
		return err
	}
	switch last := events[len(events)-1]; {
	case last.In != "":
		return nil
	case last.Kind == Completed:
		return h.callHook(ctx, OnComplete, last)
	case last.Kind == Failed:
		return h.callHook(ctx, OnError, last)
	}
	return nil
}

// callHook calls a hook, unless it was answered before. One that fails stops nothing.
func (h *heldRun) callHook(ctx context.Context, m Moment, about Event) error {
	if slices.Contains(h.hooks.called, m) {
		return nil
	}
	r := h.stands()
	hook, err := h.x.Hook(ctx, &r, m, about)
	if err != nil {
		return err
	}
	if hook.Name == "" {
		h.hooks.called = append(h.hooks.called, m)
		return nil
	}
	if err := h.put(ctx, Event{Kind: Noted, Code: hookAsked, Step: string(m), Text: hook.Name}); err != nil {
		return err
	}
	answer := Event{Kind: Noted, Code: hookAnswered, Step: string(m), Text: hook.Name}
	if err := hook.Call(ctx); ctx.Err() != nil {
		return ctx.Err() // it is called again when the run goes on
	} else if err != nil {
		answer.Code, answer.Text = hookFailed, err.Error()
	}
	if err := h.put(ctx, answer); err != nil {
		return err
	}
	h.hooks.called = append(h.hooks.called, m)
	return nil
}
