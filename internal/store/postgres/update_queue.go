package postgres

import (
	"context"
	"sync"
)

// turns makes the Updates of one owner in this process wait for each other before
// they take a connection. So an owner with many concurrent writers leaves connections
// to the others.
type turns struct {
	mu     sync.Mutex
	queues map[ownerID]*queue
}

// queue holds the writer of an owner, and the waiting ones.
type queue struct {
	turn    chan struct{} // holds a value while an Update runs
	holders int           // the number that write or wait
}

// enter waits for a turn and returns the function that ends it.
func (t *turns) enter(ctx context.Context, closing <-chan struct{}, id ownerID) (leave func(), err error) {
	q := t.join(id)
	select {
	case q.turn <- struct{}{}:
		return func() {
			<-q.turn
			t.part(id)
		}, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-closing:
		err = closed("write")
	}
	t.part(id)
	return nil, err
}

func (t *turns) join(id ownerID) *queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[id]
	if q == nil {
		if t.queues == nil {
			t.queues = make(map[ownerID]*queue)
		}
		q = &queue{turn: make(chan struct{}, 1)}
		t.queues[id] = q
	}
	q.holders++
	return q
}

func (t *turns) part(id ownerID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q := t.queues[id]; q.holders > 1 {
		q.holders--
	} else {
		delete(t.queues, id)
	}
}
