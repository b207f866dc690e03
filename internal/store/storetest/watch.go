package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var watchTests = []test{
	{"every watcher hears of a commit", watchCommits},
	{"commits that nobody took share a signal", watchShares},
	{"a watch ends with its context", watchEnds},
	{"a watch ends with the store", watchCloses},
}

// watcher returns the store under test as a watcher; a store may have none.
func (p *place) watcher() store.Watcher {
	w, ok := p.store.(store.Watcher)
	if !ok {
		p.t.Skip("skipped: this store cannot be watched")
	}
	return w
}

// hears expects a signal within the promised second, and a little more for a busy
// machine.
func hears(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case _, open := <-c:
		same(t, "open: "+what, open, true)
	case <-time.After(5 * time.Second):
		t.Errorf("nothing was heard: %s", what)
	}
}

// over expects that a channel is closed, after any signals it still holds.
func over(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	deadline := time.After(5 * time.Second)
	for {
		select {
		case _, open := <-c:
			if !open {
				return
			}
		case <-deadline:
			t.Fatalf("still open: %s", what)
		}
	}
}

func watchCommits(p *place) {
	w := p.watcher()
	heard := func(owner memory.DID) <-chan struct{} { return value(w.Watch(p.t.Context(), owner))(p.t) }
	first := map[memory.DID]<-chan struct{}{ada: heard(ada), bob: heard(bob)}
	second := map[memory.DID]<-chan struct{}{ada: heard(ada), bob: heard(bob)}
	for n := range 3 {
		for _, owner := range []memory.DID{ada, bob} {
			drain(first[owner], second[owner]) // there may be signals without a commit
			p.insert(owner, row(n))
			hears(p.t, "the first of "+string(owner), first[owner])
			hears(p.t, "the second of "+string(owner), second[owner])
		}
	}
}

func drain(channels ...<-chan struct{}) {
	for _, c := range channels {
		select {
		case <-c:
		default:
		}
	}
}

func watchShares(p *place) {
	c := value(p.watcher().Watch(p.t.Context(), ada))(p.t)
	for n := range 20 {
		p.insert(ada, row(n))
	}
	hears(p.t, "after many", c)
	signals := 0
	for quiet := false; !quiet; {
		select {
		case <-c:
			signals++
		case <-time.After(600 * time.Millisecond):
			quiet = true
		}
	}
	same(p.t, "not one for each", signals < 10, true) // a busy machine signals one by one, and late
	p.insert(ada, row(20))
	hears(p.t, "after one", c)
}

func watchEnds(p *place) {
	w := p.watcher()
	ctx, cancel := context.WithCancel(p.t.Context())
	short, long := value(w.Watch(ctx, ada))(p.t), value(w.Watch(p.t.Context(), ada))(p.t)
	cancel()
	over(p.t, "the one that ended", short)
	p.insert(ada, row(1))
	hears(p.t, "the other", long)
	_, err := w.Watch(ctx, ada)
	fails(p.t, "Watch", err, context.Canceled)
	for range 3 { // the last to end and the first to begin
		ctx, cancel := context.WithCancel(p.t.Context())
		c := value(w.Watch(ctx, bob))(p.t)
		p.insert(bob, row(1))
		hears(p.t, "again", c)
		cancel()
		over(p.t, "again", c)
		p.update(bob, func(w store.Writer) { must(p.t, w.Delete(id(1))) })
	}
}

func watchCloses(p *place) {
	w := p.watcher()
	c := value(w.Watch(p.t.Context(), ada))(p.t)
	must(p.t, p.store.Close())
	over(p.t, "after Close", c)
	_, err := w.Watch(p.t.Context(), ada)
	fails(p.t, "Watch", err, store.ErrClosed)
}

// durableWatch expects that one store hears of the other's writes.
func durableWatch(t testing.TB, first, second *place) {
	w, ok := first.store.(store.Watcher)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := value(w.Watch(ctx, ada))(t)
	for n := range 3 {
		second.update(ada, func(w store.Writer) { must(t, w.SetProjectAlias("watched", string(id(n)))) })
		hears(t, "what another wrote", c)
	}
	second.update(ada, func(w store.Writer) { must(t, w.SetProjectAlias("watched", "")) })
	cancel()
	over(t, "what another wrote", c)
}
