package host

import (
	"context"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// Get returns a run as it stands, and its place in lists.
func (h *Host) Get(ctx context.Context, c memory.Caller, id string) (run.Run, runstore.Run, error) {
	row, err := h.runs.Get(ctx, c, id)
	if err != nil {
		return run.Run{}, runstore.Run{}, err
	}
	events, err := h.Events(ctx, c, id, 0)
	if err != nil {
		return run.Run{}, runstore.Run{}, err
	}
	r, err := run.Fold(id, events)
	return r, row, err
}

// List lists runs, see [runstore.Service.List].
func (h *Host) List(ctx context.Context, c memory.Caller, agent string, after runstore.Place, limit int) ([]runstore.Run, error) {
	return h.runs.List(ctx, c, agent, after, limit)
}

// Head returns a run's place in lists, and whether it goes on in this store: a run that was
// going on elsewhere, or before the store was restored, waits for a person.
func (h *Host) Head(ctx context.Context, c memory.Caller, id string) (runstore.Run, bool, error) {
	row, err := h.runs.Get(ctx, c, id)
	if err != nil {
		return runstore.Run{}, false, err
	}
	here, err := h.runs.Lineage(ctx, c)
	return row, here == row.Lineage, err
}

// Page returns at most limit events of a run after a number.
func (h *Host) Page(ctx context.Context, c memory.Caller, id string, after int64, limit int) ([]run.Event, error) {
	return journal{h.runs, c}.page(ctx, id, after, limit)
}

// Events returns the events of a run after a number.
func (h *Host) Events(ctx context.Context, c memory.Caller, id string, after int64) ([]run.Event, error) {
	return journal{h.runs, c}.Events(ctx, id, after)
}

// Await waits until a run has an event after a number, or has ended.
func (h *Host) Await(ctx context.Context, c memory.Caller, id string, after int64) error {
	return h.runs.Await(ctx, c, id, after)
}

// Definition returns the definition that a run is of.
func (h *Host) Definition(ctx context.Context, c memory.Caller, r *run.Run) (aaif.Definition, error) {
	kept, err := h.opt.Agents.Agent(ctx, c, r.Start.Agent, r.Start.Revision)
	if err != nil {
		return aaif.Definition{}, err
	}
	return aaif.ReadDefinition(kept.Document), nil
}
