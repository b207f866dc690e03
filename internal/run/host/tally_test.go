package host_test

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
)

// tally counts what became of runs, and of their calls.
type tally struct {
	runs, events, calls int
	takenOver           int // how often somebody went on with a run that had begun
	interrupted         int // calls under way when their server was killed
	again               int // calls of tools that honour keys which were made more than once
	unknown             int // of others: the model was told that nobody knows
	acted               int // of these: the call had taken effect
	asked, sent         int
	known               map[string]string // tool by idempotency key
	counts              map[string]faketool.Count
	lines               map[string]int // what functions wrote
}

func (t *tally) String() string {
	return fmt.Sprintf("%d runs, %d events, %d calls; taken over %d times, %d calls interrupted, %d made again with the same key, %d outcomes unknown (%d of them had taken effect)",
		t.runs, t.events, t.calls, t.takenOver, t.interrupted, t.again, t.unknown, t.acted)
}

// settled checks everything that has to be so once all runs have ended.
func (w *world) settled(ids []string) *tally {
	w.T.Helper()
	t := &tally{known: map[string]string{}, counts: w.tools.Counts(), lines: w.lines()}
	for _, id := range ids {
		w.count(t, id)
	}
	made := map[string]map[string]int{"look": t.counts["look"].Keys, "book": t.counts["book"].Keys, "pay": t.counts["pay"].Keys, "file": t.lines}
	for name, keys := range made {
		for key, n := range keys {
			if t.known[key] != name {
				w.T.Errorf("%s was called %d times with key %q, which is that of no call", name, n, key)
			}
		}
	}
	if n := t.counts["book"].Writes; n != len(t.counts["book"].Keys) {
		w.T.Errorf("%d calls of book had %d effects", len(t.counts["book"].Keys), n)
	}
	w.sound(t)
	return t
}

// sound checks the audit log and the store.
func (w *world) sound(t *tally) {
	w.T.Helper()
	report, err := w.VerifyAudit(w.Ctx, w.Me(), nil)
	if err != nil || !report.Sound() {
		w.T.Errorf("the audit log: %+v, %v", report, err)
	}
	noted := map[audit.Act]int{}
	for from := int64(0); ; {
		page, err := w.Audit(w.Ctx, w.Me(), from, 1000)
		if err != nil {
			w.T.Fatal(err)
		}
		for _, e := range page {
			noted[e.Act]++
		}
		if from += int64(len(page)); len(page) < 1000 {
			break
		}
	}
	if noted[audit.RunCall] != t.asked+t.sent || noted[audit.RunEnd] != t.runs || noted[audit.RunStart] != t.runs {
		w.T.Errorf("AAIF-4.9-8: the audit log has %d calls of models and tools, %d starts and %d ends of runs; the journals have %d, %d and %d",
			noted[audit.RunCall], noted[audit.RunStart], noted[audit.RunEnd], t.asked+t.sent, t.runs, t.runs)
	}
	if found, err := w.Health(w.Ctx); err != nil || len(found) > 0 {
		w.T.Errorf("doctor says %q, %v", found, err)
	}
}

// count checks a run that has ended, and adds it to the tally.
func (w *world) count(t *tally, id string) {
	w.T.Helper()
	events, err := w.Events(w.Ctx, w.Me(), id, 0)
	if err != nil {
		w.T.Fatal(err)
	}
	r, err := run.Fold(id, events) // it refuses numbers with gaps
	if err != nil {
		w.T.Fatalf("run %s: %v", id, err)
	}
	t.runs, t.events = t.runs+1, t.events+len(events)
	returned, kinds := w.follow(t, id, events)
	if r.Status != aaif.Completed || r.Iteration != w.turns || kinds[run.Answered] != w.turns {
		w.T.Errorf("run %s is %s after %d turns, %+v", id, r.Status, r.Iteration, r.Err)
	}
	if r.Usage.Input != w.turns*10 || r.Usage.Output != w.turns*5 {
		w.T.Errorf("run %s: every turn is counted once, and the usage is %+v", id, r.Usage)
	}
	lost := 0
	for _, m := range r.Messages {
		c, ok := m.Call()
		if !ok {
			continue
		}
		t.calls++
		e := returned[c.ID]
		if len(e) != 1 {
			w.T.Errorf("run %s: the call %s has %d results", id, c.ID, len(e))
			continue
		}
		if w.effect(t, &r, c, e[0]); e[0].Code != "" {
			lost++
		}
	}
	want := "Booked five."
	if r.Start.Agent == mixed {
		if want = "Done."; lost > 0 {
			want = "Done, as far as anybody knows."
		}
	}
	if r.Output != want || r.Start.Agent != mixed && lost > 0 {
		w.T.Errorf("run %s answers %q with %d results lost, want %q", id, r.Output, lost, want)
	}
}

// follow reads the events of a run and returns the results of its calls by their ids, and
// how many events of each kind there are.
func (w *world) follow(t *tally, id string, events []run.Event) (map[string][]run.Event, map[run.Kind]int) {
	returned, kinds, under := map[string][]run.Event{}, map[run.Kind]int{}, ""
	for _, e := range events {
		switch kinds[e.Kind]++; e.Kind {
		case run.Asked:
			t.asked++
		case run.Sent:
			t.sent++
			under = e.Call
		case run.Returned:
			returned[e.Call], under = append(returned[e.Call], e), ""
		case run.Resumed:
			if kinds[run.Resumed] > 1 {
				t.takenOver++
			}
			if under != "" {
				t.interrupted++
			}
			under = ""
		}
	}
	if kinds[run.Started] != 1 || kinds[run.Completed]+kinds[run.Failed] != 1 {
		w.T.Errorf("run %s starts %d times and ends %d times", id, kinds[run.Started], kinds[run.Completed]+kinds[run.Failed])
	}
	return returned, kinds
}

// effect compares what the journal says of a call with what its tool has counted.
func (w *world) effect(t *tally, r *run.Run, c aaif.Call, result run.Event) {
	w.T.Helper()
	key := r.Key(run.Call{Call: c})
	t.known[key] = c.Tool
	made := t.counts[c.Tool].Keys[key]
	switch c.Tool {
	case "look":
		if result.Code != "" { // it carries no key, and is made as often as need be
			w.T.Errorf("run %s: %s returned %s", r.ID, c.ID, result.Text)
		}
		return
	case "book":
		if result.Code != "" || made < 1 {
			w.T.Errorf("run %s: %s was called %d times and returned %s", r.ID, c.ID, made, result.Text)
		}
		if made > 1 {
			t.again++
		}
		return
	case "file":
		made = t.lines[key]
	}
	told := result.Code == string(aaif.OutcomeUnknown) && strings.HasPrefix(result.Text, unknown)
	switch {
	case told && made <= 1:
		t.unknown, t.acted = t.unknown+1, t.acted+made
	case result.Code == "" && made == 1:
	default:
		w.T.Errorf("run %s: %s of %s was made %d times, and the model was told %s", r.ID, c.ID, c.Tool, made, result.Text)
	}
}
