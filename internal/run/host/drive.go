package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/memory"
)

// Drive goes on with the runs of all owners that nobody executes and that have something to
// do, until ctx is over. Of several servers with one store, one does so for each run. most
// is how many runs are executed here at once. After stop is closed no action begins; Drive
// returns once those under way have ended.
func (h *Host) Drive(ctx context.Context, most int, caller func(memory.DID) memory.Caller, stop <-chan struct{}) {
	places := make(chan struct{}, most)
	var under sync.WaitGroup
	defer under.Wait()
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-stop:
			return
		case <-t.C:
		}
		due, err := h.runs.Due(ctx, most-len(places))
		if err != nil && ctx.Err() == nil {
			h.opt.Log.Warn("runs of agents are not looked for", "err", err)
		}
		for _, d := range due {
			select {
			case places <- struct{}{}:
			default:
				continue // it stays due
			}
			under.Go(func() {
				defer func() { <-places }()
				_, err := h.Continue(ctx, caller(d.Owner), d.ID, run.Go{Stop: stop})
				if err != nil && ctx.Err() == nil && !errors.Is(err, run.ErrHeld) && !errors.Is(err, run.ErrFenced) {
					h.opt.Log.Warn("a run does not go on", "run", d.ID, "err", err)
				}
			})
		}
	}
}
