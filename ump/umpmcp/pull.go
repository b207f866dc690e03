package umpmcp

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// pull passes to every group the new events that its caller may see.
func (f *follower) pull() error {
	f.watch.mu.Lock()
	groups := maps.Clone(f.groups)
	f.watch.mu.Unlock()
	var fault error
	for who, g := range groups {
		err := f.pullFor(g)
		switch {
		case f.life.Err() != nil:
			return nil
		case err == nil:
		case memory.KindOf(err) == memory.Internal:
			fault = err
		default: // the caller may no longer read
			f.drop(who, g)
		}
	}
	return fault
}

func (f *follower) pullFor(g *group) error {
	for {
		if err := checkEnd(f.life, g.end); err != nil {
			return err
		}
		if g.after == unknownHead {
			return f.setStart(g)
		}
		events, next, err := f.watch.watcher.Changes(f.life, g.caller, memory.Subscription{After: g.after})
		if err != nil {
			return err
		}
		f.tell(g, events)
		if next == g.after {
			return nil
		}
		f.watch.mu.Lock()
		g.after = next
		f.watch.mu.Unlock()
	}
}

// setStart sets the position of a group that began while the service was unavailable.
func (f *follower) setStart(g *group) error {
	head, err := f.watch.watcher.Head(f.life, g.caller)
	if err != nil {
		return err
	}
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	g.after, g.changed, g.listed = head, true, true
	return nil
}

// checkEnd fails if end has passed; the zero time never passes.
func checkEnd(ctx context.Context, end time.Time) error {
	if end.IsZero() {
		return nil
	}
	limited, done := context.WithDeadline(ctx, end)
	defer done()
	if limited.Err() == context.DeadlineExceeded {
		return ump.TokenError(ump.ErrTokenExpired)
	}
	return nil
}

// drop removes a group whose caller may no longer read. The follower ends with its last
// group.
func (f *follower) drop(who audience, g *group) {
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	clear(g.listeners)
	if f.watch.prune(f, who, g) {
		f.stop()
	}
}

// tell notifies a group's listeners of changed records, and notes the notifications that
// follow later.
func (f *follower) tell(g *group, events []memory.Event) {
	if len(events) == 0 {
		return
	}
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	var ids []memory.ID
	for _, e := range events {
		ids = append(ids, e.ID)
		switch e.Type {
		case memory.WasCreated, memory.WasErased:
			g.listed = true
		case memory.WasRevised: // the successor is new, and the superseded records changed
			g.listed = true
			if e.Record != nil {
				ids = append(ids, e.Record.Supersedes...)
			}
		}
	}
	g.changed = true
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for l := range g.listeners {
		l.recordsChanged(ids)
	}
}

// announce sends the delayed notifications to every listener.
func (f *follower) announce() {
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	for _, g := range f.groups {
		for l := range g.listeners {
			l.listChanged(g.listed)
		}
		g.changed, g.listed = false, false
	}
}
