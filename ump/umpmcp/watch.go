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

// watch learns of changes for all sessions of a server. It follows the memory of
// an owner in one goroutine for as long as somebody listens.
type watch struct {
	watcher ump.Watcher
	report  func(doing string, err error)
	now     func() time.Time // by which grants end

	mu        sync.Mutex
	closed    bool
	followers map[memory.DID]*follower
}

func newWatch(w ump.Watcher, report func(string, error)) *watch {
	return &watch{watcher: w, report: report, now: never, followers: map[memory.DID]*follower{}}
}

// audience is whose listeners see the same changes.
type audience struct {
	role    memory.Role
	grant   string
	session string // of a token; what came in with it is seen with it
	end     int64  // of the grant; it depends on when it was used
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

// never is a clock that does not go: to it every grant ends when it expires.
func never() time.Time { return time.Time{} }

// unknown is how far a group has been told whose service was away when it began.
const unknown = -1

// join tells a listener of every change from now on that its caller may see,
// until leave is called; or from when the service is back, that there may have been
// some. A caller that may not read is refused.
func (w *watch) join(ctx context.Context, l *listener) (leave func(), err error) {
	head, err := w.watcher.Head(ctx, l.caller)
	if errors.Is(err, memory.ErrUnavailable) {
		head, err = unknown, nil
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

// leave returns once nothing is done for the listener any more, and the service
// not asked on its behalf.
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

// close ends all following, and returns once nothing is asked any more.
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

// prune forgets a group without listeners and a follower without groups, and
// reports whether the follower is one. w.mu is held.
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
	done    chan struct{} // closed when it has ended
	// quiet is alive for a while after what is told at most so often was told.
	quiet   context.Context
	unquiet context.CancelFunc
}

// group is the listeners that see the same, and how far they have been told.
type group struct {
	caller    memory.Caller
	end       time.Time // the zero time: never
	after     int64     // the follower's alone once it runs
	listeners map[*listener]struct{}
	changed   bool // something has, and the brief with it
	listed    bool // there are others than there were
}

func (w *watch) newFollower(owner memory.DID) *follower {
	f := &follower{watch: w, owner: owner, groups: map[audience]*group{}, done: make(chan struct{})}
	f.life, f.stop = context.WithCancel(context.Background())
	f.quiet, f.unquiet = context.WithCancel(f.life)
	f.unquiet()
	return f
}

const (
	// calm is how long a client is left alone after it was told that the list or
	// the brief has changed.
	calm = time.Second
	// patience is how long a service that failed is left alone.
	patience = time.Second
)

// run ends when it is stopped, or when nobody who listens may any more.
func (f *follower) run() {
	defer close(f.done)
	defer f.stop()
	away := false // and that was reported
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
			f.rest()
		}
	}
	f.unquiet()
}

// rest waits before a service that failed is asked again.
func (f *follower) rest() {
	pause, done := context.WithTimeout(f.life, patience)
	defer done()
	<-pause.Done()
}

// await returns when something may have happened, or when it is time to tell what
// was kept back.
func (f *follower) await() error {
	after, due := f.position()
	if due && f.quiet.Err() != nil {
		f.announce()
		f.quiet, f.unquiet = context.WithTimeout(f.life, calm)
		due = false
	}
	until := f.life
	if due {
		until = f.quiet
	}
	// Whoever listens acts for the owner or has the owner's leave, and waiting
	// tells nothing.
	err := f.watch.watcher.Await(until, memory.Caller{Owner: f.owner, Role: memory.Agent}, after)
	if until.Err() != nil {
		return nil
	}
	return err
}

// position returns how far everybody has been told, and whether something was
// kept back.
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
