package umphttp_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// feed is a service whose changes are what a test says.
type feed struct {
	umphttp.Backend

	mu     sync.Mutex
	events []memory.Event // a nil record stands for one that was erased
	stirs  chan struct{}  // closed and made anew with every change
	fault  error          // of Changes
	asked  []memory.Caller
}

var _ ump.Watcher = (*feed)(nil)

func newFeed() *feed { return &feed{Backend: umptest.New(), stirs: make(chan struct{})} }

// happen adds a change of a record of the owner's.
func (f *feed) happen(t memory.EventType, id memory.ID, s memory.Scope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.Owner = owner
	e := memory.Event{Sequence: int64(len(f.events)+1) * 10, Type: t, ID: id}
	if t != memory.WasErased {
		e.Record = &memory.Record{Version: ump.Edition, ID: id, Kind: memory.Semantic, Scope: s,
			Time: memory.Times{Created: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}, Body: memory.Body{Text: "text of " + string(id)}}
	}
	f.events = append(f.events, e)
	close(f.stirs)
	f.stirs = make(chan struct{})
}

// fail makes Changes fail from now on.
func (f *feed) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = err
	close(f.stirs)
	f.stirs = make(chan struct{})
}

func (f *feed) head() int64 { return int64(len(f.events)) * 10 }

// Head refuses whom nothing is granted.
func (f *feed) Head(_ context.Context, c memory.Caller) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Role == memory.Peer && !c.Grant.Allows(memory.ReadVerb) {
		return 0, &memory.Error{Kind: memory.ForbiddenScope, Message: "no"}
	}
	return f.head(), nil
}

// Changes shows strangers what is public.
func (f *feed) Changes(_ context.Context, c memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		return nil, 0, f.fault
	}
	if c.Grant != nil && c.Grant.Scope.Project != s.Project {
		return nil, 0, &memory.Error{Kind: memory.ForbiddenScope, Message: "another project"}
	}
	f.asked = append(f.asked, c)
	var events []memory.Event
	next := s.After
	for _, e := range f.events {
		if e.Sequence <= s.After || len(events) == s.Max {
			continue
		}
		next = e.Sequence
		if e.Record == nil || (s.Project == "" || e.Record.Scope.Project == s.Project) && (s.Agent == "" || e.Record.Scope.Agent == s.Agent) &&
			(c.Role > memory.Stranger || e.Record.Scope.Visibility == memory.Public) {
			events = append(events, e)
		}
	}
	return events, next, nil
}

// Await waits for a change.
func (f *feed) Await(ctx context.Context, _ memory.Caller, after int64) error {
	f.mu.Lock()
	stirs, head := f.stirs, f.head()
	f.mu.Unlock()
	if head > after {
		return nil
	}
	select {
	case <-stirs:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// callers are the roles in which changes were asked for, each once.
func (f *feed) callers() []memory.Caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.CompactFunc(slices.Clone(f.asked), func(a, b memory.Caller) bool { return a == b })
}
