package host

import (
	"context"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/memory"
)

// restored returns a new run with the events that it begins with. A run that goes on from a
// checkpoint begins with its subagents as they were (AAIF-8.1-17, AAIF-8.2-5). The first event
// then has the checkpoint without theirs, which stand where they begin.
func restored(ctx context.Context, h *Host, c memory.Caller, s Start, begins []run.Event) (run.Run, []run.Event, error) {
	r, err := run.Fold(s.RunID, begins)
	if err != nil || s.State.Type() == canon.TypeUndefined {
		return r, begins, err
	}
	more, err := r.Restored(run.RestoreOptions{
		At:         begins[0].At,
		Definition: func(w run.Worker) (aaif.Definition, error) { return h.pinned(ctx, c, w) },
		State: func(id string) (canon.Value, bool) {
			kept, err := h.opt.Agents.Look(ctx, c, agents.IDOf(id))
			return kept.Document, err == nil && kept.Left.At.IsZero()
		},
	})
	if err != nil {
		return run.Run{}, nil, err
	}
	first := *begins[0].Start
	first.State = run.Raw(run.WithoutSubagents(s.State))
	begins[0].Start = &first
	begins = append(begins, more...)
	r, err = run.Fold(s.RunID, begins)
	return r, begins, err
}
