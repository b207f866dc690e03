package storetest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// runTests hold for every store of runs (AAIF-8-1).
var runTests = []test{
	{"AAIF-8.1-2 a run and its events come back as they were stored", runStored},
	{"a holder appends with the newest fence", runAppended},
	{"whoever was taken over appends nothing", runFenced},
	{"a released run has no holder", runReleased},
	{"of many who want a run one holds it", runRaces},
	{"runs are listed, the newest first", runsListed},
	{"runs are due when their lease or their wait ends", runsDue},
	{"a run of another lineage waits for a person", runsCopied},
	{"AAIF-4.6-3 no more runs of an agent are held than it has slots", runsCrowded},
	{"AAIF-4.6-3 of many no more are held at once", runsCrowdedAtOnce},
	{"AAIF-4.6-3 whoever has lost its slot goes on with nothing", runsLapsed},
	{"leases are renewed together", runsRenewed},
	{"AAIF-4.6-8 queues are apart", runsQueued},
	{"runs count with what they say", runUsage},
	{"runs are removed", runsDropped},
	{"runs of two owners", runsOwned},
	{"erasing an owner takes the runs along", runsErased},
	{"a failed update leaves a run as it was", runFails},
}

// run makes a run of an agent that began some minutes after birth.
func run(id, agent string, minutes int) store.Run {
	at := birth.Add(time.Duration(minutes) * time.Minute)
	return store.Run{ID: id, Agent: agent, Revision: 3, Status: "paused", Lineage: "elsewhere", Began: at, Changed: at}
}

// begin stores runs that go on here.
func (p *place) begin(owner memory.DID, runs ...store.Run) {
	p.t.Helper()
	p.update(owner, func(w store.Writer) {
		for _, r := range runs {
			r.Lineage = value(w.Runs().Lineage())(p.t)
			must(p.t, w.RunKeeper().PutRun(r))
		}
	})
}

// said returns what the events of a run say.
func (p *place) said(id string) (words string) {
	p.t.Helper()
	p.view(ada, func(r store.Reader) {
		for _, e := range value(r.Runs().RunEvents(id, 0, 99))(p.t) {
			words += string(e.Document) + fmt.Sprint(e.Number)
		}
	})
	return words
}

func runStored(p *place) {
	long := strings.Repeat("x", 300)
	whole := run(long, "a \xff", 1)
	whole.Fence, whole.Holder, whole.Until, whole.Wake, whole.Sealed, whole.Events = 7, "h \xff", birth.Add(time.Hour), birth.Add(time.Minute), true, 2
	p.view(ada, func(r store.Reader) {
		_, err := r.Runs().Run("x")
		fails(p.t, "of nobody", err, store.ErrNotFound)
		_, err = r.Runs().RunEvents("x", 0, 9)
		fails(p.t, "events of nobody", err, store.ErrNotFound)
	})
	p.update(ada, func(w store.Writer) {
		must(p.t, w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: long, Number: 1, At: birth, Document: []byte("one")}, {Run: long, Number: 2, At: birth, Document: []byte{}}}))
		must(p.t, w.RunKeeper().PutRun(whole))
		must(p.t, w.RunKeeper().PutRun(run("x", "a", 2)))
		fails(p.t, "again", w.RunKeeper().PutRun(run("x", "b", 2)), store.ErrExists)
		fails(p.t, "an event again", w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: long, Number: 2}}), store.ErrExists)
		same(p.t, "its own write", value(w.Runs().Run("x"))(p.t), run("x", "a", 2))
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "whole", value(r.Runs().Run(long))(p.t), whole)
		events := value(r.Runs().RunEvents(long, 0, 9))(p.t)
		same(p.t, "events", events, []store.RunEvent{{Run: long, Number: 1, At: birth, Document: []byte("one")}, {Run: long, Number: 2, At: birth, Document: []byte{}}})
		same(p.t, "after one", value(r.Runs().RunEvents(long, 1, 9))(p.t), events[1:])
		same(p.t, "one", value(r.Runs().RunEvents(long, -5, 1))(p.t), events[:1])
		same(p.t, "none", len(value(r.Runs().RunEvents(long, 2, 9))(p.t))+len(value(r.Runs().RunEvents(long, 99, 9))(p.t))+len(value(r.Runs().RunEvents(long, 0, -1))(p.t)), 0)
	})
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func runsListed(p *place) {
	p.begin(ada, run("b", "a", 1), run("c", "a", 1), run("d", "z", 2), run("a", "a", 3), run("e", strings.Repeat("x", 300), 0))
	all := func(agent string, max int) (got string) {
		p.view(ada, func(r store.Reader) {
			for after := (store.RunPlace{}); ; {
				runs := value(r.Runs().RunList(agent, after, max))(p.t)
				for _, run := range runs {
					got, after = got+run.ID, run.Place()
				}
				if len(runs) < max {
					return
				}
			}
		})
		return got
	}
	for _, max := range []int{1, 2, 9} {
		same(p.t, "all", all("", max), "adcbe")
		same(p.t, "of an agent", all("a", max), "acb")
	}
	same(p.t, "of a long one", all(strings.Repeat("x", 300), 9), "e")
	same(p.t, "of none", all("nobody", 9), "")
	p.view(ada, func(r store.Reader) {
		same(p.t, "ids", value(r.Runs().RunIDs("", 9))(p.t), []string{"a", "b", "c", "d", "e"})
		same(p.t, "some ids", value(r.Runs().RunIDs("b", 2))(p.t), []string{"c", "d"})
		same(p.t, "no ids", len(value(r.Runs().RunIDs("e", 9))(p.t))+len(value(r.Runs().RunIDs("", -1))(p.t)), 0)
	})
}

func runsDue(p *place) {
	due := func() (ids string, next time.Time) {
		p.view(ada, func(r store.Reader) {
			now := value(r.Runs().Clock())(p.t)
			for _, run := range value(r.Runs().DueRuns(now, 9))(p.t) {
				ids += run.ID
			}
			one := value(r.Runs().DueRuns(now, 1))(p.t)
			same(p.t, "one", len(one), min(len(ids), 1))
			next = value(r.Runs().NextRun())(p.t)
		})
		return ids, next
	}
	ids, next := due()
	same(p.t, "before", ids+next.String(), time.Time{}.String())
	running, waiting, overdue := run("r", "a", 2), run("w", "a", 0), run("o", "a", 0)
	running.Status, waiting.Status, overdue.Status = "running", "awaiting_approval", "awaiting_approval"
	overdue.Wake = birth.Add(time.Minute)
	p.view(ada, func(r store.Reader) { waiting.Wake = value(r.Runs().Clock())(p.t).Add(time.Hour) })
	p.begin(ada, run("p", "a", 0), running, waiting, overdue)
	ids, next = due()
	same(p.t, "due", ids, "or")
	same(p.t, "next", next, overdue.Wake)
	owners := func() []memory.DID {
		return value(p.store.Due(p.t.Context(), store.Drive, birth.Add(time.Hour), 9))(p.t)
	}
	same(p.t, "owners", owners(), []memory.DID{ada})
	held, err := p.hold("r", "one", time.Hour)
	must(p.t, err)
	_, err = p.hold("o", "one", time.Hour)
	must(p.t, err)
	_, err = p.append("o", 1, store.RunChange{Status: "failed", Wake: &time.Time{}, Release: true})
	must(p.t, err)
	ids, next = due()
	same(p.t, "while they are held", ids, "")
	same(p.t, "next", next, waiting.Wake)
	same(p.t, "the lease ends later", held.Until.After(waiting.Wake), true)
	_, err = p.append("r", 1, store.RunChange{Extend: time.Millisecond})
	must(p.t, err)
	time.Sleep(20 * time.Millisecond)
	ids, _ = due()
	same(p.t, "after the lease", ids, "r")
	_, err = p.append("r", 1, store.RunChange{Release: true, Status: "awaiting_tool_result"})
	must(p.t, err)
	ids, _ = due()
	same(p.t, "released", ids, "r")
}

func runUsage(p *place) {
	big := bytes.Repeat([]byte("\x00\xffbig"), 1<<18)
	p.insert(ada, row(1))
	p.begin(ada, run("x", "a", 0))
	_, err := p.hold("x", "one", time.Hour)
	must(p.t, err)
	_, err = p.append("x", 1, store.RunChange{}, string(big), "", "abc")
	must(p.t, err)
	usage := func() (bytes int64) {
		p.view(ada, func(r store.Reader) { _, bytes, err = r.Usage(); must(p.t, err) })
		return bytes
	}
	same(p.t, "bytes", usage(), int64(len(row(1).Origin)+len(big)+3))
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
	p.view(ada, func(r store.Reader) {
		same(p.t, "big", bytes.Equal(value(r.Runs().RunEvents("x", 0, 1))(p.t)[0].Document, big), true)
	})
	p.update(ada, func(w store.Writer) { must(p.t, w.RunKeeper().DropRun("x")) })
	same(p.t, "bytes after", usage(), int64(len(row(1).Origin)))
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func runsDropped(p *place) {
	p.begin(ada, run("x", "a", 0), run("y", "a", 0))
	_, err := p.hold("x", "one", time.Hour)
	must(p.t, err)
	_, err = p.append("x", 1, store.RunChange{}, "a", "b")
	must(p.t, err)
	p.update(ada, func(w store.Writer) {
		must(p.t, w.RunKeeper().DropRun("x"))
		fails(p.t, "again", w.RunKeeper().DropRun("x"), store.ErrNotFound)
		_, err := w.Runs().Run("x")
		fails(p.t, "Run", err, store.ErrNotFound)
	})
	_, err = p.append("x", 1, store.RunChange{}, "c")
	fails(p.t, "append", err, store.ErrNotFound)
	p.begin(ada, run("x", "a", 0)) // the id is free
	same(p.t, "events", p.said("x"), "")
	if owed, ok := p.store.(store.Compacter); ok {
		same(p.t, "owed", value(owed.Owed(p.t.Context()))(p.t), true)
	}
	same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
}

func runsOwned(p *place) {
	going := run("x", "a", 0)
	going.Status = "running"
	p.begin(ada, going)
	p.update(bob, func(w store.Writer) {
		_, err := w.Runs().Run("x")
		fails(p.t, "Run", err, store.ErrNotFound)
		_, err = w.Runs().RunEvents("x", 0, 9)
		fails(p.t, "RunEvents", err, store.ErrNotFound)
		_, err = w.RunKeeper().HoldRun("x", store.Hold{Holder: "h", Lease: time.Hour, Resumes: true})
		fails(p.t, "HoldRun", err, store.ErrNotFound)
		_, err = w.RunKeeper().AppendRun("x", 0, store.RunChange{}, nil)
		fails(p.t, "AppendRun", err, store.ErrNotFound)
		fails(p.t, "DropRun", w.RunKeeper().DropRun("x"), store.ErrNotFound)
		same(p.t, "lists", len(value(w.Runs().RunList("", store.RunPlace{}, 9))(p.t))+len(value(w.Runs().RunIDs("", 9))(p.t))+
			len(value(w.Runs().DueRuns(birth.AddDate(99, 0, 0), 9))(p.t)), 0)
		must(p.t, w.RunKeeper().PutRun(run("x", "b", 1)))
	})
	p.update(bob, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { same(p.t, "agent", value(r.Runs().Run("x"))(p.t).Agent, "a") })
}

func runsErased(p *place) {
	for range 2 { // the same run can come again
		p.begin(ada, run("x", "a", 0))
		_, err := p.hold("x", "one", time.Hour)
		must(p.t, err)
		_, err = p.append("x", 1, store.RunChange{}, "a")
		must(p.t, err)
		p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
		p.view(ada, func(r store.Reader) {
			_, err := r.Runs().Run("x")
			fails(p.t, "Run", err, store.ErrNotFound)
			same(p.t, "ids", len(value(r.Runs().RunIDs("", 9))(p.t)), 0)
		})
		_, err = p.append("x", 1, store.RunChange{}, "b")
		fails(p.t, "append", err, store.ErrNotFound)
		same(p.t, "Check", value(p.store.Check(p.t.Context()))(p.t), []string{})
	}
}
