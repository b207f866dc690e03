package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/memory"
)

// Watchers of an owner learn of commits in three ways. Commits of this process signal
// them at once. Commits of other processes reach them by NOTIFY, which each process
// issues after its commit; within a transaction it would make all commits of the
// database wait for each other. Since a process may end between commit and NOTIFY, a
// poll also reads the rows of the watched owners.

// pollInterval is the time between polls. Together with the poll itself it stays
// under a second.
const pollInterval = 700 * time.Millisecond

// watchLinger is how long the listening connection stays without watchers: a caller
// that waits for one commit after the other comes back at once.
const watchLinger = 5 * time.Second

// watch keeps the watchers of this process.
type watch struct {
	s        *Store
	mu       sync.Mutex // held for a moment; guards the fields below
	watchers map[ownerID]map[chan struct{}]bool
	seen     map[ownerID]string // the state of the watched owners' rows; missing: not known
	over     bool
	stop     context.CancelFunc // stops listening; nil: not listening
	visits   int                // how many watchers ever came

	pending map[ownerID]bool // owners to tell other processes of
	telling bool             // tell is running
}

func newWatch(s *Store) *watch {
	return &watch{s: s, watchers: make(map[ownerID]map[chan struct{}]bool), seen: make(map[ownerID]string), pending: make(map[ownerID]bool)}
}

// Watch tells of commits for an owner, see [store.Watcher].
func (s *Store) Watch(ctx context.Context, owner memory.DID) (<-chan struct{}, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, id := s.watch, idOf(owner)
	c := make(chan struct{}, 1)
	if !w.add(id, c) {
		return nil, closed("watch")
	}
	if err := w.look(ctx, []ownerID{id}); err != nil {
		w.remove(id, c)
		return nil, err
	}
	context.AfterFunc(ctx, func() { w.remove(id, c) })
	return c, nil
}

// add registers a channel for an owner, and starts listening.
func (w *watch) add(id ownerID, c chan struct{}) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	if w.watchers[id] == nil {
		w.watchers[id] = make(map[chan struct{}]bool)
	}
	w.watchers[id][c] = true
	w.visits++
	if w.stop == nil {
		var ctx context.Context
		ctx, w.stop = context.WithCancel(context.Background())
		w.s.under.Go(func() { w.listen(ctx) })
		w.s.under.Go(func() { w.poll(ctx) })
	}
	return true
}

// remove ends a watcher. Some time after the last one, listening stops.
func (w *watch) remove(id ownerID, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watchers[id][c] {
		close(c)
		delete(w.watchers[id], c)
	}
	if len(w.watchers[id]) == 0 {
		delete(w.watchers, id)
		delete(w.seen, id)
	}
	if visits := w.visits; len(w.watchers) == 0 && !w.over {
		time.AfterFunc(watchLinger, func() { w.rest(visits) })
	}
}

// rest stops listening if no watcher came since.
func (w *watch) rest(visits int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if visits == w.visits && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// end ends all watchers, for good.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, channels := range w.watchers {
		for c := range channels {
			close(c)
		}
	}
	clear(w.watchers)
	if w.stop != nil {
		w.stop()
	}
}

// signal tells the watchers of an owner, unless their last signal is still pending.
func (w *watch) signal(id ownerID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signalLocked(id)
}

func (w *watch) signalLocked(id ownerID) {
	for c := range w.watchers[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// signalAll signals all watchers, since commits may have been missed.
func (w *watch) signalAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.watchers {
		w.signalLocked(id)
	}
}

// watched returns the owners that have watchers.
func (w *watch) watched() []ownerID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]ownerID, 0, len(w.watchers))
	for id := range w.watchers {
		ids = append(ids, id)
	}
	return ids
}

// poll reads the rows of the watched owners again and again.
func (w *watch) poll(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		ids := w.watched()
		if len(ids) == 0 {
			continue
		}
		patience, cancel := withTimeout(ctx)
		if w.look(patience, ids) != nil {
			w.forget()
		}
		cancel()
	}
}

// forget notes that commits may go unheard; the next poll signals all watchers.
func (w *watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.watchers {
		w.seen[id] = unknownState
	}
}

// unknownState is the state of no row.
const unknownState = "?"

// look reads the columns of owners' rows that change with every commit, and signals
// the owners whose row changed. The seal alone is not enough: an owner's row keeps
// its seal if the secret is not at hand.
func (w *watch) look(ctx context.Context, ids []ownerID) error {
	args := make([][16]byte, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	type row struct {
		id    [16]byte
		state string
	}
	rows, err := queryOwners(ctx, w.s, "watch", selectStates, []any{args}, func(rows pgx.Rows) (r row, err error) {
		raw := rows.RawValues()
		if len(raw[0]) != len(r.id) {
			return r, errColumns
		}
		return row{[16]byte(raw[0]), fmt.Sprintf("%x", raw[1:])}, nil
	})
	if err != nil {
		return err
	}
	now := make(map[ownerID]string, len(rows))
	for _, r := range rows {
		now[r.id] = r.state
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		before, known := w.seen[id]
		if w.watchers[id] == nil {
			continue
		}
		w.seen[id] = now[id]
		if known && before != now[id] {
			w.signalLocked(id)
		}
	}
	return nil
}
