package sqlite

import (
	"context"
	"errors"
	"sync"
)

// shared lets concurrent callers share the same work: a round serves every caller
// that asked before it began. Rounds do not overlap.
type shared struct {
	mu    sync.Mutex
	next  *round // has not begun
	over  bool   // no round begins any more
	turn  sync.Mutex
	under sync.WaitGroup // rounds
}

// round does the work once for several callers.
type round struct {
	ctx    context.Context // done when no caller waits any more
	cancel context.CancelFunc
	asking int
	done   chan struct{}
	err    error // set before done is closed
}

var errOver = errors.New("nothing begins any more")

// do returns once work has run from its beginning to its end, or ctx is done.
func (s *shared) do(ctx context.Context, work func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := s.join(ctx, work)
	if r == nil {
		return errOver
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		s.leave(r)
		return ctx.Err()
	}
}

// join takes part in the next round, and starts it if there is none.
func (s *shared) join(ctx context.Context, work func(context.Context) error) *round {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	if s.next == nil {
		r := &round{done: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
		s.next = r
		s.under.Go(func() { s.run(r, work) })
	}
	s.next.asking++
	return s.next
}

// leave ends a round for which no caller waits.
func (s *shared) leave(r *round) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.asking--
	if r.asking > 0 {
		return
	}
	r.cancel()
	if s.next == r {
		s.next = nil
	}
}

// run does a round when it is its turn.
func (s *shared) run(r *round, work func(context.Context) error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.mu.Lock()
	if s.next == r {
		s.next = nil
	}
	s.mu.Unlock()
	defer close(r.done)
	defer r.cancel()
	if r.err = r.ctx.Err(); r.err == nil {
		r.err = work(r.ctx)
	}
}

// end lets no new round begin and waits for the running one.
func (s *shared) end() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.under.Wait()
}
