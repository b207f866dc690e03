package host

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/trigger"
	"github.com/satchel-memory/satchel/memory"
)

// Watcher starts agents by the clock and by their folders, for one owner. One goroutine uses it.
type Watcher struct {
	starter Starter
	caller  memory.Caller
	looked  map[string]time.Time      // until when a schedule was looked at, by agent and trigger
	folders map[string]*folderTrigger // by agent and folder
}

// NewWatcher returns a Watcher for the agents of a caller.
func (h Starter) NewWatcher(c memory.Caller) *Watcher {
	return &Watcher{h, c, map[string]time.Time{}, map[string]*folderTrigger{}}
}

// Run looks every second until stop is closed or ctx is over.
func (w *Watcher) Run(ctx context.Context, stop <-chan struct{}) {
	if w.starter.host.opt.Triggers.On == nil {
		return
	}
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		w.Look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-stop:
			return
		case <-t.C:
		}
	}
}

// Look starts the runs that are due now. Of a schedule that was due several times since it was
// looked at, such as after a pause, the last time counts.
func (w *Watcher) Look(ctx context.Context) {
	on, err := w.starter.on()
	if err != nil {
		w.starter.host.opt.Log.Warn("the triggers cannot be read", "err", err)
		return
	}
	for _, s := range on {
		d, _, err := w.starter.host.agent(ctx, w.caller, s.Agent, 0)
		if err != nil {
			if memory.KindOf(err) != memory.NotFound && ctx.Err() == nil {
				w.starter.host.opt.Log.Warn("the triggers of an agent are not looked at", "agent", s.Agent, "err", err)
			}
			continue
		}
		var files []aaif.Trigger
		for _, t := range s.On(d) {
			switch t.Type {
			case trigger.Schedule:
				w.schedule(ctx, s, d, t)
			case trigger.FileChange:
				files = append(files, t)
			}
		}
		for _, folder := range s.Folders {
			if len(files) > 0 {
				w.folder(ctx, d, files, folder)
			}
		}
	}
}

// lateClaim is how long a claim outlives the next time of its schedule: clocks differ.
const lateClaim = 24 * time.Hour

// schedule starts the run of a schedule that is due.
func (w *Watcher) schedule(ctx context.Context, s trigger.Switch, d aaif.Definition, t aaif.Trigger) {
	schedule, err := aaif.ParseSchedule(t.Schedule)
	if err != nil {
		return // the definition was warned of when it was taken in
	}
	key := s.Agent + "\x00" + trigger.Digest(t)
	after := w.looked[key]
	if after.Before(s.Since) {
		after = s.Since
	}
	now := w.starter.host.opt.Now()
	at := schedule.Latest(after, now)
	if at.IsZero() {
		return
	}
	f, concerned := w.starter.fire(ctx, w.caller, d, t, trigger.Due(t.Schedule, at, schedule.Next(at).Add(lateClaim)))
	if concerned && f.Err != nil && memory.IsTemporary(f.Err) {
		return // the store does not answer: it is tried again
	}
	w.looked[key] = at
}
