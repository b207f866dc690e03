package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/memory"
)

// Whoever watches an owner is told of commits in three ways: of those of this process
// at once; of those of others by NOTIFY, which each process issues when it has
// committed, since within a transaction it would make all commits of the database
// wait for each other; and, since a process may end between the two, by a look at the
// rows of the watched owners.

// pollInterval is how often that look is taken. With the time that the look itself
// takes a second is kept.
const pollInterval = 700 * time.Millisecond

// watchLinger is how long the connection that listens stays when nobody watches: who
// waits for one commit after the other comes back at once.
const watchLinger = 5 * time.Second

// watch is who waits for commits.
type watch struct {
	s        *Store
	mu       sync.Mutex // held for a moment; guards what follows
	watchers map[ownerID]map[chan struct{}]bool
	seen     map[ownerID]string // what the rows of the watched owners say; missing: not known
	over     bool
	stop     context.CancelFunc // ends what listens; nil: nothing does
	visits   int                // how often somebody came

	pending map[ownerID]bool // others have to be told
	telling bool             // and are being told
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

// add lets a channel hear of an owner, and starts what listens.
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

// remove ends a watcher, and some time after the last one what listens.
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

// rest stops what listens if nobody has come since.
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

// signal tells the watchers of an owner, unless they have not yet taken the last
// signal.
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

// signalAll tells everybody, because nobody knows what was missed.
func (w *watch) signalAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.watchers {
		w.signalLocked(id)
	}
}

// watched returns whom somebody watches.
func (w *watch) watched() []ownerID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]ownerID, 0, len(w.watchers))
	for id := range w.watchers {
		ids = append(ids, id)
	}
	return ids
}

// poll looks again and again at the rows of the watched owners.
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

// forget notes that commits may go unheard; the next look tells everybody.
func (w *watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.watchers {
		w.seen[id] = unknownState
	}
}

// unknownState is what no row has.
const unknownState = "?"

// look reads what changes in owners' rows with every commit, and tells of those that
// have. The seal alone is not enough: the row of an owner whose secret is not at hand
// keeps its seal.
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
