package host_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// narrow is an agent of which few runs are executed at once; its tools are those of honouring.
const narrow = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a03"

// amount is how much TestRunLoad does.
type amount struct {
	runs, kills int
	atOnce      int // runs that a server executes
	narrow      int // runs of the narrow agent that all servers execute together
	lease       time.Duration
	pace        int // milliseconds that a model takes for an answer
	patience    time.Duration
}

// TestRunLoad executes many runs at once on three servers with one database. Each has three
// turns and one write. Servers are killed one after another, and others take their places. No
// run is lost, and no write is done twice, see [world.settled]. At no moment does a server
// execute more runs than it may, nor do all servers together execute more runs of an agent
// than its definition allows. SATCHEL_LONG makes it 1,000 runs.
func TestRunLoad(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	a := amount{runs: 24, kills: 2, atOnce: 6, narrow: 2, lease: time.Second, pace: 15, patience: time.Minute}
	if os.Getenv("SATCHEL_LONG") != "" {
		a = amount{runs: 1000, kills: 12, atOnce: 350, narrow: 25, lease: 10 * time.Second, pace: 500, patience: 30 * time.Minute}
	}
	w := openWorld(t, vaulttest.OpenPostgres(t), a.lease, a.turns(), fmt.Sprintf(`"runtime":{"concurrency":%d}`, a.runs))
	w.take(narrow, []string{"look", "book"}, fmt.Sprintf(`"runtime":{"concurrency":%d}`, a.narrow))
	w.turns, w.orders.Limit = 3, a.atOnce
	k := &killer{world: w}
	for i := range a.runs {
		k.ids = append(k.ids, k.begin([]string{honouring, mixed, honouring, mixed, narrow}[i%5]))
	}
	began := time.Now()
	held := w.watchHolds(began, a.narrow)
	for range 3 {
		k.more()
	}
	for i := range a.kills {
		k.wait(a.patience, func() bool { return w.asked() > (i+1)*a.runs*3/(a.kills+2) })
		when := []string{"arrived pay", "done book", "done pay", "arrived model", "", "arrived book"}[i%6]
		if !k.killedAt(when) {
			k.killedAt("")
		}
		k.more()
	}
	k.wait(a.patience, func() bool { return w.unended() == 0 })
	took := time.Since(began)
	held.end()
	w.killAll()
	said := w.settled(k.ids)
	spans := w.executed()
	if said.runs != a.runs || a.runs >= 1000 && (said.interrupted == 0 || said.again == 0 || said.unknown == 0) {
		t.Errorf("what is to be shown did not happen: %s", said)
	}
	byServer, byAgent := peaks(spans, func(s span) string { return s.who }), peaks(spans, func(s span) string { return s.agent })
	t.Run("no server executes more runs at once than it may", func(t *testing.T) {
		for who, n := range byServer {
			if n > a.atOnce {
				t.Errorf("%s executed %d runs at once, and may %d", who, n, a.atOnce)
			}
		}
		if held.most > a.atOnce {
			t.Errorf("a server held %d runs, and may %d", held.most, a.atOnce)
		}
	})
	t.Run("AAIF-4.6-3 all servers together execute no more runs of an agent at once than its definition allows", func(t *testing.T) {
		if n := byAgent[narrow]; n > a.narrow || n < min(2, a.narrow) || held.narrow > a.narrow {
			t.Errorf("%d runs were executed and %d held at once, of %d", n, held.narrow, a.narrow)
		}
	})
	all := peaks(spans, func(span) string { return "" })[""]
	t.Logf("%d runs in %.1f s, %.1f a second, %d kills: %s; none lost, no effect doubled", a.runs, took.Seconds(), float64(a.runs)/took.Seconds(), a.kills, said)
	t.Logf("at once: %d runs (%d held), at most %d on a server (may: %d), %d of the narrow agent (may: %d); at most %d connections to the database",
		all, held.all, slices.Max(slices.Collect(maps.Values(byServer))), a.atOnce, byAgent[narrow], a.narrow, held.connections)
}

// turns are the turns of the agents: each reads, writes and answers.
func (a amount) turns() []model.Step {
	all := []model.Step{turn(2, model.Step{Model: mixed, Expect: unknown, Answer: "Done, as far as anybody knows."})}
	for name, write := range map[string]string{honouring: "book", narrow: "book", mixed: "pay"} {
		answer := "Booked five."
		if name == mixed {
			answer = "Done."
		}
		for i, s := range []model.Step{asks("look"), asks(write), {Answer: answer}} {
			s = turn(i, s)
			s.Model, s.Delay = name, a.pace
			all = append(all, s)
		}
	}
	return all
}

// wait waits until something is so.
func (k *killer) wait(patience time.Duration, is func() bool) {
	k.T.Helper()
	for start := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > patience {
			k.T.Fatalf("the load does not come to its end: %d runs are left", k.unended())
		}
	}
}

// asked counts the requests to models.
func (w *world) asked() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.answers)
}

// unended counts the runs that have not ended, in pages.
func (w *world) unended() (n int) {
	w.T.Helper()
	for after := (runstore.Place{}); ; {
		page, err := w.List(w.Ctx, w.Me(), "", after, 1000)
		if err != nil {
			w.T.Fatal(err)
		}
		for _, row := range page {
			if after = row.Place(); row.Status != "completed" && row.Status != "failed" {
				n++
			}
		}
		if len(page) < 1000 {
			return n
		}
	}
}

// span is a time in which a server executed a run, as the models have seen it: from a request
// until the last answer, before another server asked for the run. A server that was killed
// executes nothing.
type span struct {
	who, agent, run string
	from, to        time.Time
}

// executed returns the spans of all runs.
func (w *world) executed() (all []span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	latest := map[string]int{} // place of a run's last span
	slices.SortFunc(w.answers, func(a, b span) int { return a.from.Compare(b.from) })
	for _, s := range w.answers {
		if died, dead := w.died[s.who]; dead && died.Before(s.to) {
			s.to = died
		}
		if i, known := latest[s.run]; known && all[i].who == s.who {
			all[i].to = latestOf(all[i].to, s.to)
			continue
		}
		latest[s.run] = len(all)
		all = append(all, s)
	}
	return all
}

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// peaks returns how many spans of a name there are at once, at most.
func peaks(spans []span, name func(span) string) map[string]int {
	type change struct {
		at   time.Time
		name string
		by   int
	}
	var all []change
	for _, s := range spans {
		all = append(all, change{s.from, name(s), 1}, change{latestOf(s.from, s.to), name(s), -1})
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.by, b.by)) })
	now, most := map[string]int{}, map[string]int{}
	for _, c := range all {
		now[c.name] += c.by
		most[c.name] = max(most[c.name], now[c.name])
	}
	return most
}

// holds is what the database said at several moments.
type holds struct {
	most        int // runs that one server held
	narrow      int // runs of the narrow agent that anybody held
	all         int
	connections int

	stop func()
}

// end ends the look-out.
func (h *holds) end() { h.stop() }

// watchHolds looks again and again who holds runs, and how many connections there are.
func (w *world) watchHolds(began time.Time, narrow int) *holds {
	h := &holds{}
	stop := make(chan struct{})
	var done sync.WaitGroup
	h.stop = func() { close(stop); done.Wait() }
	const held = `holder <> '' AND until > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`
	done.Go(func() {
		for {
			said := pgtest.Query(w.T, w.URL, `SELECT concat_ws(' ',
				(SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM runs WHERE `+held+` GROUP BY holder) AS x),
				(SELECT count(*) FROM runs WHERE `+held+` AND slots = `+strconv.Itoa(narrow)+`),
				(SELECT count(*) FROM runs WHERE `+held+`),
				(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()))`)
			for i, text := range strings.Fields(said[0]) {
				n, err := strconv.Atoi(text)
				if err != nil {
					w.T.Error(err)
				}
				to := []*int{&h.most, &h.narrow, &h.all, &h.connections}[i]
				*to = max(*to, n)
			}
			pause := max(50*time.Millisecond, time.Since(began)/100)
			select {
			case <-stop:
				return
			case <-time.After(min(pause, 500*time.Millisecond)):
			}
		}
	})
	return h
}
