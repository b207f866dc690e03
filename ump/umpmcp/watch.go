package umpmcp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// watch follows changes for all sessions of a server. It follows the memory of an owner
// in one goroutine as long as there are listeners.
type watch struct {
	watcher ump.Watcher
	report  func(doing string, err error)
	now     func() time.Time // decides when grants end

	mu        sync.Mutex
	closed    bool
	followers map[memory.DID]*follower
}

func newWatch(w ump.Watcher, report func(string, error)) *watch {
	return &watch{watcher: w, report: report, now: noClock, followers: map[memory.DID]*follower{}}
}

// audience identifies the listeners that see the same changes.
type audience struct {
	role    memory.Role
	grant   string
	session string // of a token, whose holder sees the records that it wrote
	end     int64  // of the grant, as of the time of its use
}

func audienceOf(c memory.Caller, end time.Time) audience {
	if c.Speaks() {
		return audience{role: memory.Agent}
	}
	a := audience{role: c.Role, session: c.Session}
	if c.Grant != nil {
		a.grant, a.end = c.Grant.ID, end.UnixNano()
	}
	return a
}

// noClock returns the zero time: with it, every grant ends when it expires.
func noClock() time.Time { return time.Time{} }

// unknownHead is the position of a group that began while the service was unavailable.
const unknownHead = -1

// join notifies a listener of every new change that its caller may see, until the caller
// of join calls leave. If the service is unavailable, the listener learns on its return
// that there may have been changes. join fails if the caller may not read.
func (w *watch) join(ctx context.Context, l *listener) (leave func(), err error) {
	head, err := w.watcher.Head(ctx, l.caller)
	if errors.Is(err, memory.ErrUnavailable) {
		head, err = unknownHead, nil
	}
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, &memory.Error{Kind: memory.RateLimited, Op: "subscribe", Message: "the server is stopping; come back later"}
	}
	f, ok := w.followers[l.caller.Owner]
	if !ok {
		f = w.newFollower(l.caller.Owner)
		w.followers[f.owner] = f
	}
	end := l.caller.Grant.End(w.now())
	who := audienceOf(l.caller, end)
	g, ok := f.groups[who]
	if !ok {
		g = &group{caller: l.caller, end: end, after: head, listeners: map[*listener]struct{}{}}
		f.groups[who] = g
	}
	g.listeners[l] = struct{}{}
	if !f.running {
		f.running = true
		go f.run()
	}
	return sync.OnceFunc(func() { w.leave(f, who, g, l) }), nil
}

// leave removes a listener. It returns when the follower does nothing for it any more.
func (w *watch) leave(f *follower, who audience, g *group, l *listener) {
	w.mu.Lock()
	delete(g.listeners, l)
	last := w.prune(f, who, g)
	w.mu.Unlock()
	if last {
		f.stop()
		<-f.done
	}
}

// close ends all followers, and returns when none calls the service any more.
func (w *watch) close() {
	w.mu.Lock()
	w.closed = true
	ending := slices.Collect(maps.Values(w.followers))
	w.mu.Unlock()
	for _, f := range ending {
		f.stop()
		<-f.done
	}
}

// prune removes a group without listeners, and a follower without groups. It reports
// whether the follower has no groups. w.mu is held.
func (w *watch) prune(f *follower, who audience, g *group) (last bool) {
	if len(g.listeners) == 0 && f.groups[who] == g {
		delete(f.groups, who)
	}
	if len(f.groups) > 0 {
		return false
	}
	if w.followers[f.owner] == f {
		delete(w.followers, f.owner)
	}
	return true
}

// follower follows the changes of one owner's memory.
type follower struct {
	watch   *watch
	owner   memory.DID
	groups  map[audience]*group // guarded by watch.mu
	running bool                // guarded by watch.mu
	life    context.Context
	stop    context.CancelFunc
	done    chan struct{} // closed when the follower has ended
	// pause lasts for listInterval after announce.
	pause    context.Context
	endPause context.CancelFunc
}

// group holds the listeners that see the same changes, and their position.
type group struct {
	caller    memory.Caller
	end       time.Time // the zero time: never
	after     int64     // used by the follower alone while it runs
	listeners map[*listener]struct{}
	changed   bool // a memory and the brief have changed
	listed    bool // there are new or erased memories
}

func (w *watch) newFollower(owner memory.DID) *follower {
	f := &follower{watch: w, owner: owner, groups: map[audience]*group{}, done: make(chan struct{})}
	f.life, f.stop = context.WithCancel(context.Background())
	f.pause, f.endPause = context.WithCancel(f.life)
	f.endPause()
	return f
}

const (
	// listInterval is the shortest time between two notifications that the list or the
	// brief has changed.
	listInterval = time.Second
	// retryDelay is the time before the next call to a service that failed.
	retryDelay = time.Second
)

// run follows changes until the follower is stopped, or until no listener may read any
// more.
func (f *follower) run() {
	defer close(f.done)
	defer f.stop()
	away := false // the service is unavailable, and that was reported
	for f.life.Err() == nil {
		err := f.pull()
		if err == nil {
			err = f.await()
		}
		was := away
		away = errors.Is(err, memory.ErrUnavailable)
		if err != nil && f.life.Err() == nil {
			if !was || !away {
				f.watch.report("watch", err)
			}
			f.waitRetry()
		}
	}
	f.endPause()
}

// waitRetry waits before the next call to a service that failed.
func (f *follower) waitRetry() {
	pause, done := context.WithTimeout(f.life, retryDelay)
	defer done()
	<-pause.Done()
}

// await returns when there may be new events, or when it is time for delayed
// notifications.
func (f *follower) await() error {
	after, due := f.position()
	if due && f.pause.Err() != nil {
		f.announce()
		f.pause, f.endPause = context.WithTimeout(f.life, listInterval)
		due = false
	}
	until := f.life
	if due {
		until = f.pause
	}
	// Every listener acts for the owner or with the owner's permission, and waiting
	// reveals nothing.
	err := f.watch.watcher.Await(until, memory.Caller{Owner: f.owner, Role: memory.Agent}, after)
	if until.Err() != nil {
		return nil
	}
	return err
}

// position returns the lowest position of all groups, and whether there are delayed
// notifications.
func (f *follower) position() (after int64, due bool) {
	f.watch.mu.Lock()
	defer f.watch.mu.Unlock()
	first := true
	for _, g := range f.groups {
		if first || g.after < after {
			after, first = g.after, false
		}
		due = due || g.changed || g.listed
	}
	return after, due
}
