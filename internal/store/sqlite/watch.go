package sqlite

import (
	"context"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// watchInterval is how often a watched store asks SQLite whether another connection
// has committed. That is one look at shared memory.
const watchInterval = 200 * time.Millisecond

// watchLinger is how long the goroutine stays without watchers: a caller that waits
// for one commit after the other comes back at once, and needs no new connection.
const watchLinger = 5 * time.Second

// watch keeps the watchers. While there are any, one goroutine asks for commits of
// other processes; commits of this process signal them at once.
type watch struct {
	turn     sync.Mutex // held while the goroutine is started or stopped
	mu       sync.Mutex // held for a moment; guards the fields below
	watchers map[chan struct{}]bool
	over     bool

	stop    chan struct{} // ends the goroutine; nil: there is none
	stopped chan struct{} // closed when it has ended
}

// Watch signals the commits of every owner, see [store.Watcher], since SQLite says
// only that the file has changed.
func (s *Store) Watch(ctx context.Context, _ memory.DID) (<-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &s.watch
	w.turn.Lock()
	defer w.turn.Unlock()
	if w.isOver() {
		return nil, closed("watch")
	}
	if w.stop == nil {
		p, err := s.startPoll(ctx)
		if err != nil {
			return nil, err
		}
		w.stop, w.stopped = make(chan struct{}), make(chan struct{})
		go p.run(w.stop, w.stopped)
	}
	c := make(chan struct{}, 1)
	w.mu.Lock()
	if w.watchers == nil {
		w.watchers = make(map[chan struct{}]bool)
	}
	w.watchers[c] = true
	w.mu.Unlock()
	context.AfterFunc(ctx, func() { w.remove(c) })
	return c, nil
}

func (w *watch) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// signal tells every watcher, unless its last signal is still pending.
func (w *watch) signal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// remove ends a watcher. Some time after the last one, the goroutine stops.
func (w *watch) remove(c chan struct{}) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	if w.watchers[c] {
		close(c)
		delete(w.watchers, c)
	}
	left := len(w.watchers)
	w.mu.Unlock()
	if left == 0 && w.stop != nil {
		time.AfterFunc(watchLinger, w.rest)
	}
}

// rest stops the goroutine if there are no watchers.
func (w *watch) rest() {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	left := len(w.watchers)
	w.mu.Unlock()
	if left == 0 {
		w.halt()
	}
}

// end ends all watchers, for good.
func (w *watch) end() {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	w.over = true
	for c := range w.watchers {
		close(c)
	}
	clear(w.watchers)
	w.mu.Unlock()
	w.halt()
}

// halt stops the goroutine and waits for it. The caller has the turn.
func (w *watch) halt() {
	if w.stop != nil {
		close(w.stop)
		<-w.stopped
		w.stop, w.stopped = nil, nil
	}
}

// poll asks for commits over a connection of its own.
type poll struct {
	*Store
	c       *conn // nil: to be opened again
	version int64 // the last answer
}

// startPoll opens the connection and reads the current version.
func (s *Store) startPoll(ctx context.Context) (*poll, error) {
	c, err := dialPatiently(ctx, s.reading, s.opt.BusyTimeout)
	if err != nil {
		return nil, err
	}
	p := &poll{Store: s, c: c}
	if p.version, err = dataVersion(c); err != nil {
		p.drop()
		return nil, translate("watch", err)
	}
	return p, nil
}

// dataVersion changes whenever another connection has committed.
func dataVersion(c *conn) (version int64, err error) {
	err = c.first("PRAGMA data_version", nil, &version)
	return version, err
}

func (p *poll) drop() {
	_ = p.c.close() // it only reads
	p.c = nil
}

// run asks again and again until it is stopped.
func (p *poll) run(stop <-chan struct{}, stopped chan<- struct{}) {
	defer close(stopped)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if p.changed() {
				p.watch.signal()
			}
		case <-stop:
			if p.c != nil {
				p.drop()
			}
			return
		}
	}
}

// changed reports whether there may have been a commit since the last call. It
// reopens a connection that fails, and then assumes a commit.
func (p *poll) changed() bool {
	if p.c == nil {
		c, err := dial(context.Background(), p.reading)
		if err != nil {
			return false // the next call asks again
		}
		p.c, p.version = c, -1
	}
	version, err := dataVersion(p.c)
	if err != nil {
		p.drop()
		return false
	}
	changed := version != p.version
	p.version = version
	return changed
}
