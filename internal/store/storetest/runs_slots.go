package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// limited makes a run of an agent of which so many are executed at once.
func limited(id, agent string, minutes int, slots int64) store.Run {
	r := run(id, agent, minutes)
	r.Status, r.Slots = "running", slots
	return r
}

// execute takes hold of a run to execute it.
func (p *place) execute(id, holder string, lease time.Duration) error {
	return p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		_, err := w.RunKeeper().HoldRun(id, store.Hold{Holder: holder, Lease: lease, Executes: true})
		return err
	})
}

// dueRuns lists the ids of runs that are due now, of some queues.
func (p *place) dueRuns(queues ...string) (ids string) {
	p.t.Helper()
	p.view(ada, func(r store.Reader) {
		for _, run := range value(r.Runs().DueRuns(value(r.Runs().Clock())(p.t), 9, queues...))(p.t) {
			ids += run.ID
		}
	})
	return ids
}

// runsCrowded holds runs of an agent of which two are executed at once (AAIF-4.6-3).
func runsCrowded(p *place) {
	p.begin(ada, limited("a", "x", 0, 2), limited("b", "x", 1, 2), limited("c", "x", 2, 2), limited("d", "y", 3, 1))
	same(p.t, "due", p.dueRuns(), "abcd")
	must(p.t, p.execute("a", "one", time.Hour))
	must(p.t, p.execute("b", "two", time.Minute))
	fails(p.t, "a third", p.execute("c", "three", time.Hour), store.ErrCrowded)
	must(p.t, p.execute("a", "one", time.Hour)) // its own slot
	same(p.t, "due while there is no slot", p.dueRuns(), "d")
	next := func() (at time.Time) {
		p.view(ada, func(r store.Reader) { at = value(r.Runs().NextRun())(p.t) })
		return at
	}
	must(p.t, p.execute("d", "four", time.Hour))
	p.view(ada, func(r store.Reader) {
		same(p.t, "next, when the first lease ends", next(), value(r.Runs().Run("b"))(p.t).Until)
	})
	_, err := p.hold("c", "five", time.Hour) // a person decides something about it
	must(p.t, err)
	_, err = p.append("c", 1, store.RunChange{Release: true})
	must(p.t, err)
	must(p.t, p.execute("b", "two", time.Millisecond)) // its own slot, for less time
	time.Sleep(10 * time.Millisecond)
	same(p.t, "due after the lease", p.dueRuns(), "cb")
	must(p.t, p.execute("c", "three", time.Hour))
	fails(p.t, "the one that lost its slot", p.execute("b", "two", time.Hour), store.ErrCrowded)
	must(p.t, p.store.Update(p.t.Context(), ada, func(w store.Writer) error { return w.Reschedule(store.Drive, time.Time{}) }))
	_, err = p.append("a", 2, store.RunChange{Release: true, Status: "completed"})
	must(p.t, err)
	same(p.t, "due when a slot is free", p.dueRuns(), "b")
	same(p.t, "owners that have runs to go on with", len(value(p.store.Due(p.t.Context(), store.Drive, time.Now().Add(time.Minute), 9))(p.t)), 1)
	must(p.t, p.execute("b", "two", time.Hour))
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

// runsCrowdedAtOnce has many take hold at once: never more than two do.
func runsCrowdedAtOnce(p *place) {
	var all []store.Run
	for i := range 8 {
		all = append(all, limited(fmt.Sprint(i), "x", i, 2))
	}
	p.begin(ada, all...)
	var done sync.WaitGroup
	var now, most atomic.Int64
	for i := range all {
		done.Go(func() {
			for {
				err := p.execute(fmt.Sprint(i), fmt.Sprint("holder ", i), time.Hour)
				if errors.Is(err, store.ErrCrowded) {
					time.Sleep(time.Millisecond)
					continue
				}
				if err != nil {
					p.t.Error(err)
					return
				}
				for n, seen := now.Add(1), most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
				}
				for began := time.Now(); most.Load() < 2 && time.Since(began) < 10*time.Second; {
					time.Sleep(time.Millisecond) // another one comes, however slow the machine is
				}
				time.Sleep(2 * time.Millisecond)
				now.Add(-1)
				if _, err := p.append(fmt.Sprint(i), 1, store.RunChange{Release: true, Status: "completed"}); err != nil {
					p.t.Error(err)
				}
				return
			}
		})
	}
	done.Wait()
	same(p.t, "at once", most.Load(), int64(2))
}

// runsLapsed lets a lease end, and somebody else take the slot (AAIF-4.6-3).
func runsLapsed(p *place) {
	p.begin(ada, limited("a", "x", 0, 1), limited("b", "x", 1, 1))
	must(p.t, p.execute("a", "one", time.Millisecond))
	time.Sleep(5 * time.Millisecond)
	_, err := p.append("a", 1, store.RunChange{Extend: time.Millisecond}, "still there")
	must(p.t, err)
	time.Sleep(5 * time.Millisecond)
	must(p.t, p.execute("b", "two", time.Hour))
	_, err = p.append("a", 1, store.RunChange{Extend: time.Hour}, "too late")
	fails(p.t, "without a slot", err, store.ErrFenced)
	same(p.t, "lost", p.renew(map[string]int64{"a": 1, "b": 1}), []string{"a"})
	_, err = p.append("b", 1, store.RunChange{Release: true, Status: "completed"})
	must(p.t, err)
	same(p.t, "lost when a slot is free", p.renew(map[string]int64{"a": 1}), []string{})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

// renew renews leases for an hour, and returns the ids of those that are lost, in order.
func (p *place) renew(fences map[string]int64) (lost []string) {
	p.t.Helper()
	p.update(ada, func(w store.Writer) { lost = value(w.RunKeeper().RenewRuns(time.Hour, fences))(p.t) })
	return slices.AppendSeq([]string{}, slices.Values(slices.Sorted(slices.Values(lost))))
}

func runsRenewed(p *place) {
	p.begin(ada, limited("a", "x", 0, 9), limited("b", "x", 1, 9), limited("c", "x", 2, 9), limited("d", "y", 3, 9))
	for id, holder := range map[string]string{"a": "one", "b": "one", "c": "two", "d": "one"} {
		must(p.t, p.execute(id, holder, time.Minute))
	}
	must(p.t, p.execute("b", "one", time.Minute)) // its second fence
	_, err := p.append("d", 1, store.RunChange{Release: true})
	must(p.t, err)
	same(p.t, "lost", p.renew(map[string]int64{"a": 1, "b": 1, "d": 1, "none": 1}), []string{"b", "d", "none"})
	p.view(ada, func(r store.Reader) {
		now := value(r.Runs().Clock())(p.t)
		for id, long := range map[string]bool{"a": true, "b": false, "c": false, "d": false} {
			run := value(r.Runs().Run(id))(p.t)
			same(p.t, "renewed "+id, run.Until.After(now.Add(50*time.Minute)), long)
		}
	})
	_, err = p.append("a", 1, store.RunChange{}, "goes on")
	must(p.t, err)
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

// runsQueued keeps queues apart (AAIF-4.6-8).
func runsQueued(p *place) {
	of := func(id, queue string, minutes int) store.Run {
		r := limited(id, "x"+id, minutes, 1)
		r.Queue = queue
		return r
	}
	p.begin(ada, of("a", "", 0), of("b", "finance", 1), of("c", `with "quotes", é`, 2), of("d", "finance", 3))
	same(p.t, "all", p.dueRuns(), "abcd")
	same(p.t, "one", p.dueRuns("finance"), "bd")
	same(p.t, "some", p.dueRuns("", `with "quotes", é`), "ac")
	same(p.t, "none", p.dueRuns("other"), "")
	p.view(ada, func(r store.Reader) {
		same(p.t, "whole", value(r.Runs().Run("c"))(p.t).Queue, `with "quotes", é`)
		same(p.t, "the first of a queue", value(r.Runs().DueRuns(birth.AddDate(9, 0, 0), 1, "finance"))(p.t)[0].ID, "b")
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}
