package host

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/trigger"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// Triggers are the triggers that the owner has switched on. The zero Triggers are none.
type Triggers struct {
	On func() ([]trigger.Switch, error) // reads them anew; nil: none is on
	// Secret returns the secret of an agent's webhooks; nil: there is none.
	Secret func(agent string) (string, error)
	// Load and Save keep what is known of a folder for an agent, across restarts; nil: it is known
	// while the process lives. Of a folder that nothing is known of, Load returns zero values.
	Load func(agent, folder string) (WatchedFolder, error)
	Save func(agent, folder string, f WatchedFolder) error
}

// WatchedFolder is what is known of a folder.
type WatchedFolder struct {
	Seen map[string]string `json:"seen"` // see [trigger.Folder]
	Runs []string          `json:"runs"` // those that its changes have started, while they are under way
}

// Fired is what became of a trigger that an event is for.
type Fired struct {
	Agent, Trigger string
	RunID          string // of the run that it started; empty: it started none
	Event, Why     string // the code of what has to be reported, and why: the filter failed; empty: nothing
	Err            error  // why no run could start
}

// Starter starts the agents of a Host by triggers. It is safe for concurrent use.
type Starter struct{ host *Host }

// NewStarter returns a Starter.
func NewStarter(h *Host) Starter { return Starter{h} }

// on returns the triggers that are on.
func (h Starter) on() ([]trigger.Switch, error) {
	if h.host.opt.Triggers.On == nil {
		return nil, nil
	}
	return h.host.opt.Triggers.On()
}

// Happens starts the agents whose triggers an event fires: those that are on, and whose filter
// is satisfied. The runs wait for their turn. Of many programs that share the store one starts
// each run.
func (h Starter) Happens(ctx context.Context, c memory.Caller, e trigger.Event) ([]Fired, error) {
	return h.fires(ctx, c, e, func(trigger.Switch, aaif.Trigger) bool { return true })
}

// fires is Happens for some triggers.
func (h Starter) fires(ctx context.Context, c memory.Caller, e trigger.Event, is func(trigger.Switch, aaif.Trigger) bool) (all []Fired, failed error) {
	on, err := h.on()
	if err != nil {
		return nil, err
	}
	for _, s := range on {
		d, _, err := h.host.agent(ctx, c, s.Agent, 0)
		if memory.KindOf(err) == memory.NotFound {
			continue // it was removed
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		for _, t := range s.On(d) {
			if t.Type != e.Type || !is(s, t) {
				continue
			}
			if f, concerned := h.fire(ctx, c, d, t, e); concerned {
				all = append(all, f)
			}
		}
	}
	return all, failed
}

// fire starts the run of a trigger that an event fires. concerned is false if the event is not
// for it, or another program has started the run.
func (h Starter) fire(ctx context.Context, c memory.Caller, d aaif.Definition, t aaif.Trigger, e trigger.Event) (f Fired, concerned bool) {
	f = Fired{Agent: d.ID, Trigger: trigger.Describe(t)}
	v := trigger.Fires(condition.NewCompiler(condition.Options{}), t, e)
	if f.Event, f.Why = v.Event, v.Why; v.Event != "" && v.Event != condition.EventHint {
		h.host.opt.Log.Warn("the filter of a trigger failed, and no run starts", "agent", d.ID, "trigger", t.Type, "event", v.Event)
		return f, true
	}
	if !v.Fires {
		return f, false
	}
	id, err := aaif.NewID(rand.Reader)
	if err != nil {
		f.Err = err
		return f, true
	}
	_, err = h.host.Start(ctx, c, Start{
		RunID: id, Agent: d.ID, Input: e.Input, By: by(t), Claim: runstore.Claim{Issuer: "trigger", JTI: trigger.Claim(d.ID, t, e), Until: e.Until},
	})
	if errors.Is(err, runstore.ErrClaimed) {
		return f, false
	}
	if f.Err = err; err != nil {
		h.host.opt.Log.Warn("a trigger fires, and no run starts", "agent", d.ID, "trigger", t.Type, "err", err)
		return f, true
	}
	f.RunID = id
	h.host.opt.Log.Info("a trigger has started a run", "agent", d.ID, "trigger", t.Type, "run", id)
	return f, true
}

// by says in a run, and in the audit log, which trigger started it.
func by(t aaif.Trigger) run.Note {
	return run.Note{Code: "trigger." + t.Type, Text: "the run was started by the trigger " + trigger.Describe(t)}
}

// Delivered starts the agents that a webhook starts. It fails with [trigger.ErrUnsigned] unless
// the delivery is signed with the secret of an agent that has a webhook of its path; what came
// before starts nothing again.
func (h Starter) Delivered(ctx context.Context, c memory.Caller, d trigger.Delivery) ([]Fired, error) {
	now := h.host.opt.Now()
	verified := map[string]bool{}
	signed := func(s trigger.Switch, t aaif.Trigger) bool {
		if !d.Leads(t) || h.host.opt.Triggers.Secret == nil {
			return false
		}
		known, asked := verified[s.Agent]
		if !asked {
			secret, err := h.host.opt.Triggers.Secret(s.Agent)
			if err != nil {
				h.host.opt.Log.Warn("the secret of webhooks cannot be read", "agent", s.Agent, "err", err)
			}
			known = err == nil && d.Verify(secret, now) == nil
			verified[s.Agent] = known
		}
		return known
	}
	var wrong error
	e, err := d.Event(now)
	if err != nil { // who it is from is found out first
		e, wrong = trigger.Event{Type: trigger.Webhook, Until: now}, err
	}
	unsigned := true
	fired, err := h.fires(ctx, c, e, func(s trigger.Switch, t aaif.Trigger) bool {
		is := signed(s, t)
		unsigned = unsigned && !is
		return is && wrong == nil
	})
	switch {
	case err != nil:
		return nil, err
	case unsigned:
		return nil, trigger.ErrUnsigned
	}
	return fired, wrong
}

// TakesOver reports whether a checkpoint that has arrived goes on at once: its agent has a
// trigger of type agent_handoff that is on, and its filter is satisfied.
func (h Starter) TakesOver(ctx context.Context, c memory.Caller, stateID string) (by string, yes bool) {
	on, err := h.on()
	if err != nil {
		h.host.opt.Log.Warn("the triggers cannot be read", "err", err)
	}
	if len(on) == 0 {
		return "", false
	}
	kept, err := h.host.opt.Agents.Look(ctx, c, stateID)
	if err != nil {
		return "", false
	}
	text := func(name, value string) canon.Member { return canon.Member{Name: name, Value: canon.String(value)} }
	e := trigger.Event{Type: trigger.Handoff, Payload: canon.Object(text("agent_id", kept.AgentID), text("state_id", kept.StateID),
		text("run_id", kept.RunID), text("source_platform", kept.Source), text("status", string(kept.Status)))}
	for _, s := range on {
		if s.Agent != kept.AgentID {
			continue
		}
		d, _, err := h.host.agent(ctx, c, s.Agent, 0)
		if err != nil {
			return "", false
		}
		for _, t := range s.On(d) {
			v := trigger.Fires(condition.NewCompiler(condition.Options{}), t, e)
			if v.Event != "" && v.Event != condition.EventHint {
				h.host.opt.Log.Warn("the filter of a trigger failed, and the run waits", "agent", d.ID, "event", v.Event)
			}
			if v.Fires {
				return trigger.Describe(t), true
			}
		}
	}
	return "", false
}
