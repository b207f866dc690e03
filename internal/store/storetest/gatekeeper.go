package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var leaveTests = []test{
	{"AIMEM-5.2-4 nothing leaves that was read before an erasure", leaveErased},
	{"AIMEM-5.2-4 an erasure waits for what is being written", leaveWaits},
	{"AIMEM-5.2-4 an erasure that nobody finishes gives up with its context", leaveGivesUp},
	{"AIMEM-5.2-4 what others write is in nobody's way", leaveOthers},
	{"AIMEM-5.2-4 those who hold all views can write", leaveFromViews},
	{"AIMEM-5.2-4 many write while one erases again and again", leaveMany},
	{"a failed write is told as it is", leaveFails},
	{"AIMEM-5.2-3 what two owners say alike is each one's own", leaveAlike},
}

// keeper returns the store under test as a gatekeeper; a store may have no gate.
func (p *place) keeper() store.Gatekeeper {
	k, ok := p.store.(store.Gatekeeper)
	if !ok {
		p.t.Skip("skipped: this store keeps nothing apart that leaves")
	}
	return k
}

// eraseAll erases everything of an owner and waits for the end of all output.
func (p *place) eraseAll(owner memory.DID) {
	p.t.Helper()
	p.update(owner, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	must(p.t, p.keeper().Silence(p.t.Context(), owner))
}

// leaves emits something and reports whether it was written.
func leaves(t testing.TB, k store.Gatekeeper, owner memory.DID, erasures int64) bool {
	t.Helper()
	left := false
	err := k.Emit(t.Context(), owner, erasures, func() error { left = true; return nil })
	if !left {
		fails(t, "Emit", err, store.ErrErased)
	} else {
		must(t, err)
	}
	return left
}

func leaveErased(p *place) {
	k := p.keeper()
	ctx := p.t.Context()
	same(p.t, "of nobody", value(k.Erasures(ctx, ada))(p.t), 0)
	same(p.t, "nobody's leaves", leaves(p.t, k, ada, 0), true)
	p.insert(ada, row(1))
	p.insert(bob, row(1))
	his := value(k.Erasures(ctx, bob))(p.t)
	for n := range 5 { // erase the same again, too
		before := value(k.Erasures(ctx, ada))(p.t)
		same(p.t, "before", leaves(p.t, k, ada, before), true)
		p.eraseAll(ada)
		same(p.t, "after", leaves(p.t, k, ada, before), false)
		now := value(k.Erasures(ctx, ada))(p.t)
		same(p.t, "it rises", now > before, true)
		same(p.t, "what is read since", leaves(p.t, k, ada, now), true)
		if n < 3 {
			p.insert(ada, row(n+2))
		}
		same(p.t, "inserting is no erasure", value(k.Erasures(ctx, ada))(p.t), now)
	}
	p.update(bob, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	same(p.t, "deleting is no erasure", value(k.Erasures(ctx, bob))(p.t), his)
	same(p.t, "the other's", leaves(p.t, k, bob, his), true)
}

func leaveAlike(p *place) {
	p.insert(ada, row(1))
	p.insert(bob, row(1))
	p.eraseAll(ada)
	for owner, left := range map[memory.DID]int{ada: 0, bob: 1} {
		p.view(owner, func(r store.Reader) {
			same(p.t, "rows of "+string(owner), len(value(r.Rows(store.Filter{}, store.Cursor{}, 10))(p.t)), left)
		})
	}
	p.view(bob, func(r store.Reader) {
		same(p.t, "what it says", string(value(r.Row(id(1)))(p.t).Origin), string(row(1).Origin))
	})
	p.eraseAll(bob)
	p.view(bob, func(r store.Reader) { same(p.t, "rows", value(r.Count(store.Filter{}))(p.t), 0) })
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

// held starts a write that hangs until the caller calls the result.
func (p *place) held(k store.Gatekeeper, owner memory.DID) (finish func()) {
	p.t.Helper()
	number := value(k.Erasures(p.t.Context(), owner))(p.t)
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- k.Emit(context.Background(), owner, number, func() error { close(begun); <-end; return nil })
	}()
	select {
	case <-begun:
	case err := <-done:
		p.t.Fatal(err)
	}
	return func() {
		close(end)
		must(p.t, <-done)
	}
}

func leaveWaits(p *place) {
	k := p.keeper()
	p.insert(ada, row(1))
	finish := p.held(k, ada)
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	silent := make(chan error, 1)
	go func() { silent <- k.Silence(context.Background(), ada) }()
	select {
	case err := <-silent:
		p.t.Fatalf("silence while something is being written (%v)", err)
	case <-time.After(200 * time.Millisecond):
	}
	finish()
	select {
	case err := <-silent:
		must(p.t, err)
	case <-time.After(5 * time.Second):
		p.t.Fatal("no silence once everything is written")
	}
}

func leaveGivesUp(p *place) {
	k := p.keeper()
	p.insert(ada, row(1))
	finish := p.held(k, ada)
	ctx, cancel := context.WithTimeout(p.t.Context(), 50*time.Millisecond)
	defer cancel()
	fails(p.t, "Silence", k.Silence(ctx, ada), context.DeadlineExceeded)
	finish()
	must(p.t, k.Silence(p.t.Context(), ada))
}

func leaveOthers(p *place) {
	k := p.keeper()
	p.insert(ada, row(1))
	p.insert(bob, row(1))
	finish := p.held(k, ada)
	his := value(k.Erasures(p.t.Context(), bob))(p.t)
	p.eraseAll(bob) // does not wait for ada's write
	same(p.t, "his, after it", leaves(p.t, k, bob, his), false)
	again := p.held(k, ada) // two of ada's writes at once
	again()
	finish()
}

// leaveFromViews makes many goroutines with an open view write. The queries of Emit
// must not wait for a resource that those views hold.
func leaveFromViews(p *place) {
	k := p.keeper()
	p.insert(ada, row(1))
	const viewers = 4
	inside, failed := make(chan struct{}, viewers), make(chan error, viewers)
	all := make(chan struct{})
	for range viewers {
		go func() {
			failed <- p.store.View(context.Background(), ada, func(store.Reader) error {
				inside <- struct{}{}
				<-all
				return k.Emit(context.Background(), ada, 0, func() error { return nil })
			})
		}()
	}
	for range viewers {
		<-inside
	}
	close(all)
	for range viewers {
		select {
		case err := <-failed:
			must(p.t, err)
		case <-time.After(10 * time.Second):
			p.t.Fatal("those who hold views wait for each other")
		}
	}
}

// leaveMany compares each write, as it begins, with the last acknowledged erasure:
// the content of the write was read after it.
func leaveMany(p *place) {
	k := p.keeper()
	var acknowledged, wrong, left atomic.Int64
	ctx, cancel := context.WithCancel(p.t.Context())
	const writers = 4
	ended := make(chan error, writers)
	p.insert(ada, row(1))
	for range writers {
		go func() { ended <- leaveUntil(ctx, k, &acknowledged, &wrong, &left) }()
	}
	for n := range 40 {
		p.eraseAll(ada)
		acknowledged.Store(value(k.Erasures(ctx, ada))(p.t))
		if n%4 == 0 {
			p.insert(ada, row(1))
		}
	}
	cancel()
	for range writers {
		must(p.t, <-ended)
	}
	same(p.t, "writes of what was erased", wrong.Load(), 0)
	same(p.t, "something left", left.Load() > 0, true)
}

func leaveUntil(ctx context.Context, k store.Gatekeeper, acknowledged, wrong, left *atomic.Int64) error {
	for ctx.Err() == nil {
		number, err := k.Erasures(context.Background(), ada)
		if err != nil {
			return err
		}
		for range 3 {
			err := k.Emit(context.Background(), ada, number, func() error {
				if left.Add(1); acknowledged.Load() > number {
					wrong.Add(1)
				}
				return nil
			})
			if err != nil && !errors.Is(err, store.ErrErased) {
				return err
			}
		}
	}
	return nil
}

var errPipe = errors.New("the other side has gone")

func leaveFails(p *place) {
	k := p.keeper()
	p.insert(ada, row(1))
	fails(p.t, "Emit", k.Emit(p.t.Context(), ada, 0, func() error { return errPipe }), errPipe)
	must(p.t, k.Silence(p.t.Context(), ada)) // the lock was released
	p.eraseAll(ada)
	ctx, cancel := context.WithCancel(p.t.Context())
	cancel()
	fails(p.t, "Silence", k.Silence(ctx, ada), context.Canceled)
	must(p.t, p.store.Close())
	_, err := k.Erasures(p.t.Context(), ada)
	fails(p.t, "Erasures", err, store.ErrClosed)
	fails(p.t, "Emit", k.Emit(p.t.Context(), ada, 0, func() error { return nil }), store.ErrClosed)
}

// durableLeave expects that an erasure in one store waits for the writes through the
// other, and that nothing is written there afterwards.
func durableLeave(t testing.TB, first, second *place) {
	k, ok := first.store.(store.Gatekeeper)
	if !ok {
		return
	}
	const eve memory.DID = "did:key:eve"
	for n := range 10 {
		first.insert(eve, row(n))
		number := value(k.Erasures(t.Context(), eve))(t)
		finish := first.held(k, eve)
		silent := make(chan error, 1)
		second.update(eve, func(w store.Writer) { must(t, w.EraseOwner()) })
		go func() { silent <- second.keeper().Silence(context.Background(), eve) }()
		select {
		case err := <-silent:
			t.Fatalf("silence while another writes (%v)", err)
		case <-time.After(20 * time.Millisecond):
		}
		finish()
		must(t, <-silent)
		same(t, "after an erasure elsewhere", leaves(t, k, eve, number), false)
	}
}
