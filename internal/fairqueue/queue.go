// Package fairqueue gives owners turns at long work, so that no owner's work keeps another
// owner waiting for long.
package fairqueue

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Queue allows a number of turns at once, and a number for each owner. Of the owners who
// wait, the one whose last turn is longest ago comes next. Queue is safe for concurrent use.
type Queue struct {
	most, each int

	mu      sync.Mutex
	last    map[memory.DID]int // the number of an owner's last turn, see forget
	turns   int
	working []*ticket
	waiting []*ticket // in the order of arrival
}

// ticket is a turn, or a call of Wait that waits for one.
type ticket struct {
	owner  memory.DID
	called chan struct{} // closed when it is this ticket's turn
	end    func() bool   // what the caller of Wait gave
	ended  bool          // end has ended the work, which leaves soon
}

// New returns a queue with at most so many turns at once, and at most each for one owner.
func New(most, each int) *Queue {
	return &Queue{most: most, each: each, last: map[memory.DID]int{}}
}

// checkEvery is how often a ticket that waits asks whether slow work can be ended.
const checkEvery = 200 * time.Millisecond

// Wait waits for a turn of an owner, which lasts until leave is called. It is not ok if ctx
// ends before. While another owner waits and all turns are taken, the queue calls end now and
// then: it ends the work if that is slow through its client's fault, and reports whether it
// did. It must not block. nil: the work is never slow.
func (q *Queue) Wait(ctx context.Context, owner memory.DID, end func() bool) (leave func(), ok bool) {
	t := &ticket{owner: owner, called: make(chan struct{}), end: end}
	q.mu.Lock()
	q.waiting = append(q.waiting, t)
	q.call()
	q.mu.Unlock()
	leave = sync.OnceFunc(func() { q.leave(t) })
	check := time.NewTicker(checkEvery)
	defer check.Stop()
	for {
		select {
		case <-t.called:
			if ctx.Err() == nil {
				return leave, true
			}
		case <-ctx.Done():
		case <-check.C:
			q.endSlow()
			continue
		}
		leave()
		return nil, false
	}
}

// Full reports whether an owner has as many turns as one may have.
func (q *Queue) Full(owner memory.DID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.held(owner) >= q.each
}

// held counts the turns of an owner. The caller holds the lock.
func (q *Queue) held(owner memory.DID) (n int) {
	for _, t := range q.working {
		if t.owner == owner {
			n++
		}
	}
	return n
}

// endSlow ends slow work where that lets another owner in: one piece for each turn that the
// owners who wait could take.
func (q *Queue) endSlow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.working) < q.most {
		return
	}
	wanted, more := 0, map[memory.DID]int{}
	for _, t := range q.waiting {
		if more[t.owner]++; q.held(t.owner)+more[t.owner] <= q.each {
			wanted++
		}
	}
	for _, t := range q.working {
		if t.ended {
			wanted--
		}
	}
	for _, t := range q.working {
		if wanted > 0 && t.end != nil && !t.ended && t.end() {
			t.ended = true
			wanted--
		}
	}
}

// leave ends a turn, or the waiting for one, and calls the next.
func (q *Queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	other := func(o *ticket) bool { return o == t }
	q.working, q.waiting = slices.DeleteFunc(q.working, other), slices.DeleteFunc(q.waiting, other)
	q.forget()
	q.call()
}

// forget drops the last turns that decide nothing: an owner whose last turn is longer ago
// than that of all who wait comes next with the number and without it. The caller holds the
// lock.
func (q *Queue) forget() {
	oldest := q.turns + 1
	for _, t := range q.waiting {
		if turn, ok := q.last[t.owner]; ok {
			oldest = min(oldest, turn)
		}
	}
	maps.DeleteFunc(q.last, func(owner memory.DID, turn int) bool { return turn < oldest && q.held(owner) == 0 })
}

// call gives turns while there are any. The caller holds the lock.
func (q *Queue) call() {
	for len(q.working) < q.most {
		next := -1
		for i, t := range q.waiting {
			if q.held(t.owner) < q.each && (next < 0 || q.last[t.owner] < q.last[q.waiting[next].owner]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		t := q.waiting[next]
		q.waiting = slices.Delete(q.waiting, next, next+1)
		q.turns++
		q.working, q.last[t.owner] = append(q.working, t), q.turns
		close(t.called)
	}
}
