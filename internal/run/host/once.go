package host

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// ErrOther means that a run of the same id was started with other values.
var ErrOther = errors.New("there is a run of this id, and it was started with something else")

// StartOnce is Start for a request that may be repeated. A run that was started with the
// same values is returned as it stands, and started is false. It fails with [ErrOther] if
// the run of this id was started with other values.
func (h *Host) StartOnce(ctx context.Context, c memory.Caller, s Start) (r run.Run, started bool, err error) {
	r, known, err := h.before(ctx, c, s)
	if known || err != nil {
		return r, false, err
	}
	r, err = h.Start(ctx, c, s)
	if errors.Is(err, runstore.ErrRunExists) { // meanwhile
		if r, known, err = h.before(ctx, c, s); known || err != nil {
			return r, false, err
		}
		return run.Run{}, false, run.ErrHeld // and it was removed again
	}
	return r, err == nil, err
}

// before returns the run that an earlier request started, and compares its values with s.
func (h *Host) before(ctx context.Context, c memory.Caller, s Start) (r run.Run, known bool, err error) {
	r, _, err = h.Get(ctx, c, s.RunID)
	switch {
	case memory.KindOf(err) == memory.NotFound:
		return run.Run{}, false, nil
	case err != nil:
		return run.Run{}, false, err
	case len(r.Start.State) > 0, s.Revision != 0 && s.Revision != r.Start.Revision:
		return r, true, ErrOther
	}
	d, kept, err := h.agent(ctx, c, s.Agent, r.Start.Revision)
	if err != nil {
		return r, true, errors.Join(ErrOther, err)
	}
	set, err := h.settings()
	if err != nil {
		return r, true, err
	}
	same, _, err := h.startOf(d, kept, s, set)
	if err != nil || kept.AgentID != r.Start.Agent || same.Limits != r.Start.Limits || same.User != r.Start.User || same.Session != r.Start.Session || !equal(same.Input, r.Start.Input) || !equal(same.Variables, r.Start.Variables) || !equal(same.Origin, r.Start.Origin) {
		return r, true, ErrOther
	}
	return r, true, nil
}

func equal(a, b []byte) bool {
	x, y := run.Value(a), run.Value(b)
	return x.Type() == y.Type() && (x.Type() == canon.TypeUndefined || canon.Equal(x, y))
}

// GoOn starts the run of a kept checkpoint, under its own id. It fails with cause
// [runstore.ErrRunExists] if the run is here already, and with the code [aaif.StateLeft] if
// another platform has the checkpoint, or may have it (AAIF-8.2-1).
func (h *Host) GoOn(ctx context.Context, c memory.Caller, stateID string) (run.Run, error) {
	return h.goOn(ctx, c, stateID, run.Note{})
}

// TakeOver is GoOn for a checkpoint that arrived, because of a trigger, see [Starter.TakesOver].
func (h Starter) TakeOver(ctx context.Context, c memory.Caller, stateID, trigger string) (run.Run, error) {
	if trigger == "" {
		return h.host.GoOn(ctx, c, stateID)
	}
	return h.host.goOn(ctx, c, stateID, run.Note{Code: "trigger.agent_handoff", Text: "the run goes on here by the trigger " + trigger})
}

func (h *Host) goOn(ctx context.Context, c memory.Caller, stateID string, by run.Note) (run.Run, error) {
	kept, err := h.opt.Agents.Look(ctx, c, stateID)
	if err != nil {
		return run.Run{}, err
	}
	id := kept.RunID
	if id == "" {
		id = kept.StateID
	}
	return h.Start(ctx, c, Start{RunID: id, Agent: kept.AgentID, State: kept.Document, Here: kept.StateID, By: by})
}
