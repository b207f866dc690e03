package upload

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/satchel-memory/satchel/memory"
)

// An owner with many files keeps nobody waiting: one of theirs is worked on at a time, and
// the others come between.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2)
		began := make(chan string, 20)
		leaves := map[string]func(){}
		come := func(owner memory.DID, name string) {
			go func() {
				leave, ok := q.wait(t.Context(), owner)
				if ok {
					leaves[name] = leave
					began <- name
				}
			}()
			synctest.Wait()
		}
		now := func() (all string) {
			synctest.Wait()
			for len(began) > 0 {
				all += <-began
			}
			return all
		}
		for _, name := range []string{"a1", "a2", "a3"} {
			come("a", name)
		}
		if got := now(); got != "a1" {
			t.Errorf("of one owner %s are worked on at once", got)
		}
		come("b", "b1")
		if got := now(); got != "b1" {
			t.Errorf("another owner waits: %s", got)
		}
		come("b", "b2")
		come("c", "c1")
		if got := now(); got != "" {
			t.Errorf("more than two at once: %s", got)
		}
		for _, step := range [][2]string{{"a1", "c1"}, {"b1", "a2"}, {"a2", "b2"}, {"c1", "a3"}, {"b2", ""}, {"a3", ""}} {
			leaves[step[0]]()
			leaves[step[0]]()
			if got := now(); got != step[1] {
				t.Errorf("after %s comes %q, want %q", step[0], got, step[1])
			}
		}
		if len(q.busy)+len(q.last)+len(q.waiting) > 0 {
			t.Errorf("the queue keeps %v %v %v", q.busy, q.last, q.waiting)
		}
	})
}

// Who no longer waits keeps no place.
func TestQueueWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		first, _ := q.wait(t.Context(), "a")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { _, ok := q.wait(ctx, "b"); done <- ok }()
		synctest.Wait()
		cancel()
		if <-done {
			t.Error("who left has a turn")
		}
		first()
		if leave, ok := q.wait(t.Context(), "c"); !ok {
			t.Error("nobody has a turn")
		} else {
			leave()
		}
		if len(q.busy)+len(q.last)+len(q.waiting) > 0 {
			t.Errorf("the queue keeps %v %v %v", q.busy, q.last, q.waiting)
		}
	})
}
