package fairqueue

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// An owner with many files keeps nobody waiting: one of theirs is worked on at a time, and
// the others come between.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(2, 1)
		began := make(chan string, 20)
		leaves := map[string]func(){}
		come := func(owner memory.DID, name string) {
			go func() {
				leave, ok := q.Wait(t.Context(), owner, nil)
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
			leave := leaves[step[0]]
			leave()
			leave()
			if got := now(); got != step[1] {
				t.Errorf("after %s comes %q, want %q", step[0], got, step[1])
			}
		}
		if len(q.working)+len(q.last)+len(q.waiting) > 0 {
			t.Errorf("the queue keeps %v %v %v", q.working, q.last, q.waiting)
		}
	})
}

// Who no longer waits gets no turn.
func TestQueueWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 1)
		first, _ := q.Wait(t.Context(), "a", nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { _, ok := q.Wait(ctx, "b", nil); done <- ok }()
		synctest.Wait()
		cancel()
		if <-done {
			t.Error("who left has a turn")
		}
		first()
		if leave, ok := q.Wait(t.Context(), "c", nil); !ok {
			t.Error("nobody has a turn")
		} else {
			leave()
		}
		if len(q.working)+len(q.last)+len(q.waiting) > 0 {
			t.Errorf("the queue keeps %v %v %v", q.working, q.last, q.waiting)
		}
	})
}

// Slow work ends as soon as another owner waits for its turn, and no more of it than others
// wait for.
func TestQueueEndsSlowWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(3, 2)
		slow, ended := map[string]bool{"a1": true, "a2": true}, map[string]int{}
		leaves := map[string]func(){}
		work := func(owner memory.DID, name string) {
			t.Helper()
			leave, ok := q.Wait(t.Context(), owner, func() bool {
				if slow[name] {
					ended[name]++
				}
				return slow[name]
			})
			if !ok {
				t.Fatalf("%s has no turn", name)
			}
			leaves[name] = leave
		}
		work("a", "a1")
		work("a", "a2")
		work("b", "b1")
		time.Sleep(time.Minute)
		if len(ended) > 0 {
			t.Errorf("nobody waits, and %v ended", ended)
		}
		if !q.Full("a") || q.Full("b") || q.Full("c") {
			t.Error("a alone has all turns of an owner")
		}
		ctx, done := context.WithTimeout(t.Context(), time.Minute)
		defer done()
		if _, ok := q.Wait(ctx, "a", nil); ok || len(ended) > 0 {
			t.Errorf("a has three turns, or %v ended for it", ended)
		}
		time.AfterFunc(time.Second, leaves["a1"]) // the end takes time
		work("c", "c1")
		if len(ended) != 1 || ended["a1"] != 1 {
			t.Errorf("for one turn %v ended", ended)
		}
		time.AfterFunc(time.Second, leaves["a2"]) // the end takes time
		work("d", "d1")
		if ended["a2"] != 1 || ended["b1"]+ended["c1"] != 0 {
			t.Errorf("for two turns %v ended", ended)
		}
	})
}

// Slow work ends for the turns that an owner could take, not for each of the owner's tickets
// that wait.
func TestQueueEndsNoMoreThanOneCanTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(3, 1)
		ended := map[memory.DID]bool{}
		for _, owner := range []memory.DID{"a", "b", "c"} {
			if _, ok := q.Wait(t.Context(), owner, func() bool { ended[owner] = true; return true }); !ok {
				t.Fatalf("%s has no turn", owner)
			}
		}
		ctx, done := context.WithTimeout(t.Context(), time.Minute)
		defer done()
		for range 2 {
			go q.Wait(ctx, "d", nil)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if len(ended) != 1 {
			t.Errorf("for one owner who may have one turn, %v ended", ended)
		}
	})
}

// An owner whose turn is long ago comes before owners who come again and again, one after
// the other.
func TestQueueStarvesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 1)
		first, _ := q.Wait(t.Context(), "b", nil)
		order, leaves := "", make(chan func(), 1)
		send := func(owner memory.DID) {
			go func() {
				if leave, ok := q.Wait(t.Context(), owner, nil); ok {
					order += string(owner)
					leaves <- leave
				}
			}()
			synctest.Wait()
		}
		send("b")
		send("a")
		first()
		for _, next := range []memory.DID{"c", "a", "c", "a"} {
			leave := <-leaves
			if send(next); len(q.last) > 3 {
				t.Errorf("the queue keeps %v", q.last)
			}
			leave()
		}
		(<-leaves)()
		(<-leaves)()
		if order != "acbaca" {
			t.Errorf("the order is %s", order)
		}
		if len(q.working)+len(q.last)+len(q.waiting) > 0 {
			t.Errorf("the queue keeps %v %v %v", q.working, q.last, q.waiting)
		}
	})
}

// The queue does not keep all who ever came, even if somebody waits all the time.
func TestQueueForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1, 1)
		leaves := make(chan func(), 1)
		come := func(i int) {
			go func() {
				if leave, ok := q.Wait(t.Context(), memory.DID(fmt.Sprint(i)), nil); ok {
					leaves <- leave
				}
			}()
			synctest.Wait()
		}
		come(0)
		come(1)
		for i := range 100 {
			if come(i + 2); len(q.last) > 1 || len(q.waiting) != 2 {
				t.Fatalf("%d wait, and the queue keeps %v", len(q.waiting), q.last)
			}
			(<-leaves)()
			synctest.Wait()
		}
		(<-leaves)()
		(<-leaves)()
	})
}
