package belief

import (
	"context"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// State returns a number that changes whenever an act may change the result of
// [views.Context]: a record was written or forgotten, everything was erased, or the
// owner's name changed. until is the next time at which the result may change by itself;
// zero: never. It is now where nobody has asked for the context since the last change.
// State is cheap.
func (v *views) State(ctx context.Context, c memory.Caller) (state int64, until time.Time, err error) {
	if _, err := v.askedContext(c, engram.Query{}); err != nil {
		return 0, time.Time{}, err
	}
	now := v.kernel.Now()
	err = v.viewContext(ctx, c, func(r store.Reader, label string, erasures int64) error {
		state, err = stateOf(r, label, erasures)
		return err
	})
	if err != nil {
		return 0, time.Time{}, err
	}
	e, ok := v.edges.of(c.Owner, state)
	if !ok || !e.holds(now, now) {
		return state, now, nil
	}
	return state, e.until, nil
}

// stateOf is the state of an owner's memory.
func stateOf(r store.Reader, label string, erasures int64) (int64, error) {
	head, err := r.Head()
	if err != nil {
		return 0, err
	}
	h := fnv.New64a()
	for _, part := range []string{strconv.FormatInt(head, 10), strconv.FormatInt(erasures, 10), label} {
		_, _ = h.Write([]byte(part + "\x00"))
	}
	return int64(h.Sum64() >> 1), nil
}

// edge is the time during which the context of an owner does not change by itself.
type edge struct {
	state              int64
	since, seen, until time.Time // since zero: always
}

// edge returns the nearest instants before and after now at which a lineage changes by
// itself.
func (g *lineageSet) edge(state int64, now time.Time) edge {
	e := edge{state: state, seen: now}
	for _, l := range g.list {
		l.eachEdge(func(at time.Time) {
			switch {
			case !at.After(now):
				if at.After(e.since) {
					e.since = at
				}
			case e.until.IsZero() || at.Before(e.until):
				e.until = at
			}
		})
	}
	return e
}

// holds reports whether nothing begins or ends by itself after from and until now.
func (e edge) holds(from, now time.Time) bool {
	return !e.since.After(from) && !now.Before(e.seen) && (e.until.IsZero() || now.Before(e.until))
}

// edges remembers for each owner when something next begins or ends. It holds no
// content.
type edges struct {
	mu sync.Mutex
	by map[memory.DID]edge
}

// maxEdges is the most owners to remember.
const maxEdges = 4096

func (e *edges) keep(owner memory.DID, next edge) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.by == nil || len(e.by) >= maxEdges {
		e.by = map[memory.DID]edge{}
	}
	e.by[owner] = next
}

func (e *edges) of(owner memory.DID, state int64) (edge, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next, ok := e.by[owner]
	return next, ok && next.state == state
}
