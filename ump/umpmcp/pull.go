package umpmcp

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// pull tells every group what has happened that its caller may see.
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
		default: // may no longer read
			f.drop(who, g)
		}
	}
	return fault
}

func (f *follower) pullFor(g *group) error {
	for {
		if err := lapsed(f.life, g.end); err != nil {
			return err
		}
		if g.after == unknown {
			return f.place(g)
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

// place finds out from where on a group is told that began while the service was
// away.
func (f *follower) place(g *group) error {
	head, err := f.watch.watcher.Head(f.life, g.caller)
	if err != nil {
		return err
	}
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	g.after, g.changed, g.listed = head, true, true
	return nil
}

// lapsed fails when a time is over; the zero time never is.
func lapsed(ctx context.Context, end time.Time) error {
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

// drop forgets a group whose caller may no longer read. With the last group the
// follower ends.
func (f *follower) drop(who audience, g *group) {
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	clear(g.listeners)
	if f.watch.prune(f, who, g) {
		f.stop()
	}
}

// tell tells a group's listeners of the records that changed, and keeps in mind
// what is told later.
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
		case memory.WasRevised: // the successor is new, and closed what it supersedes
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
		l.changed(ids)
	}
}

// announce tells every listener what was kept back.
func (f *follower) announce() {
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	for _, g := range f.groups {
		for l := range g.listeners {
			l.announced(g.listed)
		}
		g.changed, g.listed = false, false
	}
}
