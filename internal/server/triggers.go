package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/trigger"
	"github.com/satchel-memory/satchel/memory"
)

// triggers starts agents for the AAIF binding. A webhook starts those of the server's owner.
type triggers struct {
	starter host.Starter
	owner   memory.Caller
	now     func() time.Time
}

var _ aaifhttp.Triggers = triggers{}

// keptEvents is how long an event with a key of its sender starts nothing again.
const keptEvents = 24 * time.Hour

// Happens starts the agents that an event starts.
func (t triggers) Happens(ctx context.Context, c memory.Caller, e aaifhttp.Event) ([]aaifhttp.Fired, error) {
	payload := e.Payload
	if payload.Type() == canon.TypeUndefined {
		payload = canon.Object()
	}
	happened := trigger.Event{Type: trigger.Named, Name: e.Name, Payload: payload, Input: payload, Key: "new\x00" + rand.Text(), Until: t.now().Add(keptEvents)}
	if e.Message != "" {
		happened.Type, happened.Input = trigger.Message, canon.String(e.Message)
		happened.Payload = payload.With("message", happened.Input)
	}
	if e.Key != "" {
		happened.Key = "key\x00" + e.Key
	}
	fired, err := t.starter.Happens(ctx, c, happened)
	list := make([]aaifhttp.Fired, len(fired))
	for i, f := range fired {
		list[i] = aaifhttp.Fired{AgentID: f.Agent, Trigger: f.Trigger, RunID: f.RunID, Event: f.Event, Why: f.Why, Err: withCode(f.Err)}
	}
	return list, withCode(err)
}

// Delivered starts the agents that a webhook starts.
func (t triggers) Delivered(ctx context.Context, d aaifhttp.Delivery) (started int, err error) {
	fired, err := t.starter.Delivered(ctx, t.owner, trigger.Delivery{Path: d.Path, ID: d.ID, Timestamp: d.Timestamp, Signature: d.Signature, Body: d.Body})
	if errors.Is(err, trigger.ErrUnsigned) {
		return 0, &memory.Error{Kind: memory.Unauthorized, Op: "webhook", Message: "no webhook is signed so: send webhook-id, webhook-timestamp and webhook-signature, see docs/agents.md"}
	}
	var failed error
	for _, f := range fired {
		if f.RunID != "" {
			started++
		}
		failed = cmp.Or(failed, f.Err)
	}
	if started == 0 && err == nil && failed != nil && memory.IsTemporary(failed) {
		err = failed // it can be sent again
	}
	return started, withCode(err)
}

// arrivalRunner lets the runs of states that arrive go on at once: all of them, or those of
// agents with a trigger for it.
type arrivalRunner struct {
	aaif.Backend
	options Options
}

// Receive receives a state, and says so if its run is here already.
func (a arrivalRunner) Receive(ctx context.Context, c memory.Caller, state canon.Value) (aaif.KeptState, error) {
	kept, err := a.Backend.Receive(ctx, c, state)
	if err != nil {
		return kept, err
	}
	if _, goesOn := a.goesOn(ctx, c, kept.StateID); !goesOn {
		return kept, nil
	}
	if _, _, err := a.options.Runs.Host.Head(ctx, ownerOf(c), kept.RunID); err == nil {
		kept.Warnings = append(kept.Warnings, "its run does not go on by itself: "+string(aaifhttp.RunExists))
	}
	return kept, nil
}

// goesOn reports whether the run of a state goes on at once, and by which trigger; empty: by none.
func (a arrivalRunner) goesOn(ctx context.Context, c memory.Caller, stateID string) (by string, yes bool) {
	by, takes := host.NewStarter(a.options.Runs.Host).TakesOver(ctx, ownerOf(c), stateID)
	return by, takes || a.options.Runs.OnArrival
}

// Confirm lets the run of a state go on, now that its sender knows that it arrived. A run that
// cannot start leaves the state where it is: its owner finds it in the list.
func (a arrivalRunner) Confirm(ctx context.Context, c memory.Caller, stateID string) error {
	if err := a.Backend.Confirm(ctx, c, stateID); err != nil {
		return err
	}
	by, goesOn := a.goesOn(ctx, c, stateID)
	if !goesOn {
		return nil
	}
	began := time.Now()
	r, err := host.NewStarter(a.options.Runs.Host).TakeOver(ctx, ownerOf(c), stateID, by)
	if err != nil {
		a.options.Log.Warn("the run of a state that arrived does not go on", "state", stateID, "err", problemText(err))
		return nil
	}
	a.options.Log.Info("the run of a state that arrived goes on", "state", stateID, "run", r.ID, "took_seconds", time.Since(began).Seconds())
	return nil
}

// ownerOf is the owner in person, for whom a state arrives.
func ownerOf(c memory.Caller) memory.Caller {
	return memory.Caller{Owner: c.Owner, Role: memory.Owner}
}
