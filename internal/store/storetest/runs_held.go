package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// hold takes hold of a run.
func (p *place) hold(id, holder string, lease time.Duration) (run store.Run, err error) {
	p.t.Helper()
	err = p.store.Update(p.t.Context(), ada, func(w store.Writer) (err error) {
		run, err = w.RunKeeper().HoldRun(id, store.Hold{Holder: holder, Lease: lease})
		return err
	})
	return run, err
}

// append appends events that say these words.
func (p *place) append(id string, fence int64, c store.RunChange, words ...string) (run store.Run, err error) {
	p.t.Helper()
	var events []store.RunEvent
	for _, word := range words {
		events = append(events, store.RunEvent{At: birth, Document: []byte(word)})
	}
	err = p.store.Update(p.t.Context(), ada, func(w store.Writer) (err error) {
		run, err = w.RunKeeper().AppendRun(id, fence, c, events)
		return err
	})
	return run, err
}

func runAppended(p *place) {
	p.begin(ada, run("x", "a", 0))
	_, err := p.append("x", 0, store.RunChange{}, "nobody holds it")
	fails(p.t, "without a holder", err, store.ErrFenced)
	held, err := p.hold("x", "one", time.Hour)
	must(p.t, err)
	same(p.t, "fence", held.Fence, 1)
	p.view(ada, func(r store.Reader) {
		now := value(r.Runs().Clock())(p.t)
		same(p.t, "lease", held.Until.Sub(now) > 50*time.Minute && held.Until.Sub(now) <= time.Hour, true)
	})
	at, wake := birth.Add(time.Minute), birth.Add(time.Hour)
	got, err := p.append("x", 1, store.RunChange{Status: "running", Wake: &wake, At: at}, "a", "b")
	must(p.t, err)
	want := held
	want.Status, want.Wake, want.Changed, want.Events = "running", wake, at, 2
	same(p.t, "appended", got, want)
	got, err = p.append("x", 1, store.RunChange{Wake: &time.Time{}, Extend: 2 * time.Hour}, "c")
	must(p.t, err)
	same(p.t, "extended", got.Until.After(held.Until), true)
	same(p.t, "no wake", got.Wake.IsZero(), true)
	same(p.t, "the rest", []any{got.Status, got.Changed, got.Events}, []any{"running", at, int64(3)})
	same(p.t, "events", p.said("x"), "a1b2c3")
	_, err = p.append("y", 1, store.RunChange{})
	fails(p.t, "of no run", err, store.ErrNotFound)
	_, err = p.append("x", 2, store.RunChange{}, "d")
	fails(p.t, "with a fence of nobody", err, store.ErrFenced)
	same(p.t, "events", p.said("x"), "a1b2c3")
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

// runFenced is what a program finds that stood still longer than its lease.
func runFenced(p *place) {
	p.begin(ada, run("x", "a", 0))
	_, err := p.hold("x", "one", time.Hour)
	must(p.t, err)
	_, err = p.hold("x", "two", time.Hour)
	fails(p.t, "while another holds it", err, store.ErrHeld)
	_, err = p.append("x", 1, store.RunChange{Extend: time.Millisecond}, "a")
	must(p.t, err)
	time.Sleep(20 * time.Millisecond)
	_, err = p.append("x", 1, store.RunChange{}, "b")
	must(p.t, err) // nobody has taken it over
	second, err := p.hold("x", "two", time.Hour)
	must(p.t, err)
	same(p.t, "fence", []any{second.Fence, second.Holder, second.Events}, []any{int64(2), "two", int64(2)})
	for _, c := range []store.RunChange{{}, {Release: true}, {Extend: time.Hour}, {Status: "completed"}} {
		_, err = p.append("x", 1, c, "lost")
		fails(p.t, "after another took hold", err, store.ErrFenced)
	}
	_, err = p.append("x", 2, store.RunChange{}, "c")
	must(p.t, err)
	same(p.t, "events", p.said("x"), "a1b2c3")
	third, err := p.hold("x", "two", time.Hour)
	must(p.t, err) // a program that was started again under its name
	same(p.t, "fence of the same holder", third.Fence, 3)
	_, err = p.append("x", 2, store.RunChange{}, "lost")
	fails(p.t, "of its earlier process", err, store.ErrFenced)
}

func runReleased(p *place) {
	p.begin(ada, run("x", "a", 0))
	_, err := p.hold("x", "one", time.Hour)
	must(p.t, err)
	got, err := p.append("x", 1, store.RunChange{Release: true, Status: "awaiting_approval"}, "a")
	must(p.t, err)
	same(p.t, "released", []any{got.Holder, got.Until.IsZero(), got.Fence, got.Status}, []any{"", true, int64(1), "awaiting_approval"})
	_, err = p.append("x", 1, store.RunChange{}, "b")
	fails(p.t, "after the release", err, store.ErrFenced)
	next, err := p.hold("x", "two", time.Hour)
	must(p.t, err)
	same(p.t, "fence", next.Fence, 2)
}

func runRaces(p *place) {
	p.begin(ada, run("x", "a", 0))
	var held sync.Map
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			if run, err := p.hold("x", fmt.Sprint("holder ", i), time.Hour); err == nil {
				held.Store(run.Fence, i)
			}
		})
	}
	done.Wait()
	n := 0
	held.Range(func(fence, _ any) bool { n++; same(p.t, "fence", fence, any(int64(1))); return true })
	same(p.t, "holders", n, 1)
}

func runsCopied(p *place) {
	stray := run("x", "a", 0)
	stray.Status, stray.Wake = "running", birth
	p.update(ada, func(w store.Writer) { must(p.t, w.RunKeeper().PutRun(stray)) })
	due := func() (n int) {
		p.view(ada, func(r store.Reader) { n = len(value(r.Runs().DueRuns(birth.AddDate(99, 0, 0), 9))(p.t)) })
		return n
	}
	same(p.t, "due", due(), 0)
	_, err := p.hold("x", "one", time.Hour)
	fails(p.t, "by itself", err, store.ErrCopied)
	p.update(ada, func(w store.Writer) {
		here := value(w.Runs().Lineage())(p.t)
		same(p.t, "lineages", here != "" && here != stray.Lineage, true)
		run := value(w.RunKeeper().HoldRun("x", store.Hold{Holder: "one", Lease: time.Hour, Resumes: true}))(p.t)
		same(p.t, "resumed", []any{run.Lineage, run.Fence}, []any{here, int64(1)})
	})
	same(p.t, "due later", due(), 1)
	_, err = p.append("x", 1, store.RunChange{}, "a")
	must(p.t, err)
}

func runFails(p *place) {
	p.begin(ada, run("x", "a", 0))
	_, err := p.hold("x", "one", time.Hour)
	must(p.t, err)
	err = p.store.Update(p.t.Context(), ada, func(w store.Writer) error {
		value(w.RunKeeper().AppendRun("x", 1, store.RunChange{Status: "completed", Release: true}, []store.RunEvent{{At: birth, Document: []byte("a")}}))(p.t)
		return store.ErrBusy
	})
	fails(p.t, "Update", err, store.ErrBusy)
	_, err = p.append("x", 1, store.RunChange{}, "b") // it still holds the run
	must(p.t, err)
	same(p.t, "events", p.said("x"), "b1")
}
