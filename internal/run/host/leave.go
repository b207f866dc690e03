package host

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/memory"
)

// Checkpoint returns a run as a checkpoint (section 8.1). The run stays here.
func (h *Host) Checkpoint(ctx context.Context, c memory.Caller, id, stateID string) (canon.Value, error) {
	r, _, err := h.Get(ctx, c, id)
	if err != nil {
		return canon.Value{}, err
	}
	return h.capture(ctx, c, &r, stateID)
}

// Leave stops a run in order to send it to another platform, and returns its checkpoint
// (AAIF-8.2-1). A program that executes the run begins no further action. The caller then has
// to call [Host.Left] or [Host.Stayed].
func (h *Host) Leave(ctx context.Context, c memory.Caller, id, stateID, platform string) (canon.Value, error) {
	r, err := h.executor(c).Leave(ctx, id, string(c.Owner), platform)
	if err != nil {
		return canon.Value{}, err
	}
	h.stop(c, id, run.ErrFenced)
	state, err := h.capture(ctx, c, &r, stateID)
	if err != nil {
		_, failed := h.Stayed(context.WithoutCancel(ctx), c, id)
		return canon.Value{}, errors.Join(err, failed)
	}
	return state, nil
}

// Left ends a run that has arrived at another platform.
func (h *Host) Left(ctx context.Context, c memory.Caller, id, platform string) (run.Run, error) {
	r, err := h.executor(c).Left(ctx, id, platform)
	h.reportEnd(ctx, c, r)
	return r, err
}

// Stayed takes back a run that did not arrive at the other platform, see [run.Executor.Stayed].
func (h *Host) Stayed(ctx context.Context, c memory.Caller, id string) (run.Run, error) {
	return h.executor(c).Stayed(ctx, id)
}

func (h *Host) capture(ctx context.Context, c memory.Caller, r *run.Run, stateID string) (canon.Value, error) {
	d, err := h.Definition(ctx, c, r)
	if err != nil {
		return canon.Value{}, err
	}
	items, err := h.snapshot(ctx, c, r, &r.Thread)
	if err != nil {
		return canon.Value{}, err
	}
	var failed error
	state := r.Capture(run.CaptureOptions{
		StateID: stateID, At: h.opt.Now().UTC(), Version: d.Agent.Version, Platform: h.opt.Platform, Release: h.opt.Release, By: "satchel",
		Definition: func(w run.Worker) (aaif.Definition, bool) {
			if w.Remote != "" {
				return aaif.Definition{}, false
			}
			d, err := h.pinned(ctx, c, w)
			return d, err == nil
		},
		Memory: items,
		Remembers: func(t *run.Thread) []aaif.MemoryItem {
			items, err := h.snapshot(ctx, c, r, t)
			failed = errors.Join(failed, err)
			return items
		},
	})
	return state, failed
}
