package run

import (
	"context"
	"errors"
	"sync"
	"time"
)

// mostAtOnce is how many threads of a run work at the same time.
const mostAtOnce = 16

// schedule lets the threads of a run work side by side, each on one action at a time.
type schedule struct {
	h    *heldRun
	done chan actionResult

	mu      sync.Mutex
	workers map[string]*worker // by the paths of their threads
	busy    map[string]*liveAction
	dropped map[string]bool // threads that begin nothing more
	timeUp  bool
}

// liveAction is an action that is under way.
type liveAction struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// actionResult is the result of a thread's action.
type actionResult struct {
	in  string
	err error
}

// execute executes the run until it ends or rests. What is under way when it fails or is
// stopped comes to its end first.
func (h *heldRun) execute(ctx context.Context, stop <-chan struct{}) error {
	s := &schedule{h: h, done: make(chan actionResult, mostAtOnce), workers: map[string]*worker{}, busy: map[string]*liveAction{}, dropped: map[string]bool{}}
	h.threads = s
	defer s.close()
	if err := s.worker("").open(ctx); err != nil {
		return err
	}
	if err := h.append(ctx, Event{Kind: Resumed, By: h.x.Holder}); err != nil {
		return err
	}
	hears := time.NewTicker(hearEvery)
	defer hears.Stop()
	var err error
	for {
		if err == nil {
			err = s.begin(ctx, stop)
		}
		if len(s.busy) == 0 {
			return err
		}
		select {
		case e := <-s.done:
			if failed := s.end(ctx, e); err == nil {
				err = failed
			}
		case <-h.look:
		case <-hears.C:
			if failed := h.hear(ctx); err == nil {
				err = failed
			}
		}
	}
}

// begin lets every thread begin what it has to do.
func (s *schedule) begin(ctx context.Context, stop <-chan struct{}) error {
	select {
	case <-stop:
		return errStopped
	default:
	}
	if err := s.h.confirm(ctx); err != nil {
		return err
	}
	r := s.h.stands()
	for _, a := range r.Actions(s.h.x.Now()) {
		if s.timeUp && a.Do != NothingDo {
			a = r.timeUp()
		}
		switch {
		case a.Do == Wait, a.Do == NothingDo:
			continue
		case a.Whole && len(s.busy) > 0:
			return nil // first comes to its end what is under way
		case a.Whole:
			return s.worker("").fail(ctx, a.Code, a.Text)
		}
		s.start(ctx, a)
	}
	return nil
}

// start lets a thread do an action, unless it does one, or too many others do.
func (s *schedule) start(ctx context.Context, a Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[a.In] != nil || len(s.busy) == mostAtOnce || s.dropped[a.In] {
		return
	}
	w := s.of(a.In)
	ctx, cancel := context.WithCancelCause(ctx)
	b := &liveAction{cancel, make(chan struct{})}
	s.busy[a.In] = b
	go func() {
		err := w.act(ctx, a)
		if errors.Is(context.Cause(ctx), errDropped) {
			err = nil
		}
		close(b.done)
		s.done <- actionResult{a.In, err}
	}()
}

// end takes away an action that has ended.
func (s *schedule) end(ctx context.Context, e actionResult) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy[e.in].cancel(nil)
	delete(s.busy, e.in)
	r := s.h.stands()
	for in, w := range s.workers {
		if s.busy[in] == nil && in != "" && r.Of(in).Status.Ended() {
			w.close()
			delete(s.workers, in)
		}
	}
	if errors.Is(e.err, errRunTimeout) && ctx.Err() == nil {
		s.timeUp = true
		return nil
	}
	return e.err
}

// drop ends threads whose results nobody needs any more: what they do is cancelled, and what
// became of it is written down.
func (s *schedule) drop(ctx context.Context, paths []string, why string) error {
	for _, path := range paths {
		s.halt(path)
		now := s.h.stands()
		if t := now.Of(path); t == nil || t.Status.Ended() {
			continue
		}
		if err := s.h.append(ctx, Event{Kind: Cancelled, In: path, Text: why + now.unsettled(path)}); err != nil {
			return err
		}
	}
	return nil
}

// halt cancels what the threads at a path and below it do, waits until that has ended, and lets
// them begin nothing more.
func (s *schedule) halt(path string) {
	r := s.h.stands()
	var under []*liveAction
	s.mu.Lock()
	for t := range r.All() {
		if t.under(path) {
			s.dropped[t.In] = true
			if b := s.busy[t.In]; b != nil {
				b.cancel(errDropped)
				under = append(under, b)
			}
		}
	}
	s.mu.Unlock()
	for _, b := range under {
		<-b.done
	}
}

// worker returns what works in a thread.
func (s *schedule) worker(in string) *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of(in)
}

func (s *schedule) of(in string) *worker {
	if s.workers[in] == nil {
		s.workers[in] = &worker{heldRun: s.h, in: in}
	}
	return s.workers[in]
}

func (s *schedule) close() {
	for _, w := range s.workers {
		w.close()
	}
}
