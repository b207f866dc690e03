package upload

import (
	"context"
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// queue lets the files of owners be worked on in turn: one of an owner at a time, and so
// many at once in all. Whose last turn is longest ago comes next, so that no owner's files
// keep another owner waiting. It is safe for concurrent use.
type queue struct {
	most int

	mu      sync.Mutex
	busy    map[memory.DID]bool
	last    map[memory.DID]int // the number of an owner's last turn, while more of theirs wait
	turns   int
	waiting []*ticket // in the order of arrival
}

// ticket is a place in a queue.
type ticket struct {
	owner  memory.DID
	called chan struct{} // closed when it is this ticket's turn
}

func newQueue(most int) *queue {
	return &queue{most: most, busy: map[memory.DID]bool{}, last: map[memory.DID]int{}}
}

// wait waits for a turn of an owner, until leave is called. It is not ok if ctx ends before.
func (q *queue) wait(ctx context.Context, owner memory.DID) (leave func(), ok bool) {
	t := &ticket{owner, make(chan struct{})}
	q.mu.Lock()
	q.waiting = append(q.waiting, t)
	q.call()
	q.mu.Unlock()
	leave = sync.OnceFunc(func() { q.leave(t) })
	select {
	case <-t.called:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		leave()
		return nil, false
	}
	return leave, true
}

// leave gives a turn, or a place in the queue, to the others.
func (q *queue) leave(t *ticket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-t.called:
		delete(q.busy, t.owner)
	default:
		q.waiting = slices.DeleteFunc(q.waiting, func(other *ticket) bool { return other == t })
	}
	if !slices.ContainsFunc(q.waiting, func(other *ticket) bool { return other.owner == t.owner }) {
		delete(q.last, t.owner)
	}
	q.call()
}

// call gives turns while there are any. The caller holds the lock.
func (q *queue) call() {
	for len(q.busy) < q.most {
		next := -1
		for i, t := range q.waiting {
			if !q.busy[t.owner] && (next < 0 || q.last[t.owner] < q.last[q.waiting[next].owner]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		t := q.waiting[next]
		q.waiting = slices.Delete(q.waiting, next, next+1)
		q.turns++
		q.busy[t.owner], q.last[t.owner] = true, q.turns
		close(t.called)
	}
}
