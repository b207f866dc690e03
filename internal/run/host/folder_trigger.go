package host

import (
	"context"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/trigger"
	"github.com/satchel-memory/satchel/memory"
)

// folderTrigger is a folder that starts an agent.
type folderTrigger struct {
	trigger.Folder
	runs  []string      // those that it has started, while they are under way
	calm  int           // looks since the last of them ended
	saved WatchedFolder // what was saved last
}

// calmLooks is how many looks after its end a run's last changes are its own: a change is seen
// once a file rests.
const calmLooks = 2

// folder starts the runs of an agent whose folder has changed. What changes while such a run is
// under way starts nothing, so that an agent never starts itself.
func (w *Watcher) folder(ctx context.Context, d aaif.Definition, triggers []aaif.Trigger, path string) {
	f := w.folderTrigger(d.ID, path)
	own := len(f.runs) > 0
	changes, err := f.Look(own)
	if err != nil {
		w.starter.host.opt.Log.Warn("a folder cannot be looked at", "agent", d.ID, "folder", path, "err", err)
		return
	}
	if own && !slices.ContainsFunc(f.runs, func(id string) bool { return !w.ended(ctx, id) }) {
		if f.calm++; f.calm > calmLooks {
			f.runs, f.calm = nil, 0
		}
	}
	if len(changes) > 0 {
		e := f.Event(changes, w.starter.host.opt.Now())
		for _, t := range triggers {
			if fired, _ := w.starter.fire(ctx, w.caller, d, t, e); fired.RunID != "" {
				f.runs = append(f.runs, fired.RunID)
			}
		}
	}
	w.save(d.ID, f)
}

// folderTrigger returns the trigger of an agent by a folder, with what was kept of it.
func (w *Watcher) folderTrigger(agent, path string) *folderTrigger {
	key := agent + "\x00" + path
	f := w.folders[key]
	if f != nil {
		return f
	}
	f = &folderTrigger{Folder: trigger.Folder{Path: path}}
	w.folders[key] = f
	if load := w.starter.host.opt.Triggers.Load; load != nil {
		known, err := load(agent, path)
		if err != nil {
			w.starter.host.opt.Log.Warn("what is known of a folder cannot be read", "folder", path, "err", err)
		}
		f.Seen, f.runs = known.Seen, known.Runs
	}
	return f
}

// save keeps what is known of a folder, if it is something else than before.
func (w *Watcher) save(agent string, f *folderTrigger) {
	save := w.starter.host.opt.Triggers.Save
	if save == nil || maps.Equal(f.saved.Seen, f.Seen) && f.saved.Seen != nil && slices.Equal(f.saved.Runs, f.runs) {
		return
	}
	f.saved = WatchedFolder{maps.Clone(f.Seen), slices.Clone(f.runs)}
	if err := save(agent, f.Path, f.saved); err != nil {
		w.starter.host.opt.Log.Warn("what is known of a folder cannot be kept", "folder", f.Path, "err", err)
	}
}

// ended reports whether a run has ended, or is gone.
func (w *Watcher) ended(ctx context.Context, id string) bool {
	row, err := w.starter.host.runs.Get(ctx, w.caller, id)
	if err != nil {
		return memory.KindOf(err) == memory.NotFound
	}
	return aaif.RunStatus(row.Status).Ended()
}
