package postgres

import (
	"context"
	"sync"
)

// turns lets the Updates of one owner that are made in this process wait for each
// other before they take a connection, so that an owner for whom many write leaves
// connections to the others.
type turns struct {
	mu     sync.Mutex
	queues map[ownerID]*queue
}

// queue is who writes for an owner, and who waits.
type queue struct {
	turn    chan struct{} // holds a value while somebody writes
	holders int           // who writes or waits
}

// enter waits for a turn and returns what ends it.
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
