package host_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// The agents of a pipeline of a swarm, whose workers write, and a closing one, which writes, too.
func teamAgent(n int) string { return fmt.Sprintf("7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a1%d", n) }

// teamTurns are the turns of these agents. What the last one says depends on no outcome.
func teamTurns() []model.Step {
	var all []model.Step
	of := func(n int, steps ...model.Step) {
		for i, s := range steps {
			s = turn(i, s)
			s.Model, s.Delay = teamAgent(n), 15
			all = append(all, s)
		}
	}
	of(1, model.Step{Answer: "merged"}) // the swarm's own model
	of(2, asks("book", "pay"), asks("look"), model.Step{Answer: "two"})
	of(3, asks("pay"), asks("book", "pay"), model.Step{Answer: "three"})
	of(4, asks("look", "book"), asks("file"), model.Step{Answer: "four"})
	of(5, asks("pay", "book"), model.Step{Answer: "Closed."})
	return all
}

// takeTeam takes these agents in.
func (w *world) takeTeam() {
	sub := func(n int) string { return `{"ref":"` + teamAgent(n) + `","alias":"a` + fmt.Sprint(n) + `"}` }
	for n := 2; n <= 5; n++ {
		w.take(teamAgent(n), []string{"look", "book", "pay", "file"})
	}
	w.take(teamAgent(1), nil, orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, `"subagents":[`+sub(2)+`,`+sub(3)+`,`+sub(4)+`]`))
	w.take(teamAgent(0), nil, orchestration(`"role":"orchestrator"`, `"subagents":[`+sub(1)+`,`+sub(5)+`]`, `"pipeline":["a1","a5"]`))
}

// TestKilledTeams kills servers while pipelines of swarms go on. Every call of a tool that does
// not honour idempotency keys is made at most once, every agent works once, and the run ends as
// an undisturbed one does. SATCHEL_LONG makes it 60 kills on each store.
func TestKilledTeams(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	kills := 2
	if os.Getenv("SATCHEL_LONG") != "" {
		kills = 60
	}
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		w := openWorld(t, house(t), time.Second, teamTurns())
		w.takeTeam()
		k := &killer{world: w, alone: w.Path != "", agents: []string{teamAgent(0)}}
		k.more()
		if !k.alone {
			k.more()
		}
		for range kills {
			k.once()
		}
		w.on(nil)
		w.until("all runs have ended", func() bool { return len(k.going()) == 0 })
		w.killAll()
		all := &tally{known: map[string]string{}, counts: w.tools.Counts(), lines: w.lines()}
		for _, id := range k.ids {
			w.countTeam(all, id)
		}
		if all.takenOver == 0 {
			t.Error("no run was taken over")
		}
		w.sound(all)
		t.Logf("%d kills, at %v: %s", kills, k.at, all)
	})
}

// countTeam checks a run of the team that has ended.
func (w *world) countTeam(t *tally, id string) {
	w.T.Helper()
	r := w.get(id)
	events, err := w.Events(w.Ctx, w.Me(), id, 0)
	if err != nil {
		w.T.Fatal(err)
	}
	t.runs, t.events = t.runs+1, t.events+len(events)
	returned, resumed := map[string]run.Event{}, 0
	for _, e := range events {
		switch e.Kind {
		case run.Asked:
			t.asked++
		case run.Sent:
			t.sent++
		case run.Returned:
			returned[e.Call] = e
		case run.Resumed:
			if resumed++; resumed > 1 {
				t.takenOver++
			}
		}
	}
	var threads []string
	for th := range r.All() {
		threads = append(threads, th.In)
		for _, m := range th.Messages {
			if c, ok := m.Call(); ok {
				t.calls++
				w.effect(t, &r, c, returned[c.ID])
			}
		}
	}
	if got := strings.Join(threads, " "); r.Status != aaif.Completed || r.Output != "Closed." || got != " a1 a1/a2 a1/a3 a1/a4 a1/:merge a5" || r.Turns() != 12 || r.Usage.Input != 120 {
		w.T.Errorf("run %s is %s, %q, %+v, %d turns, %+v, in %q", id, r.Status, r.Output, r.Err, r.Turns(), r.Usage, got)
	}
}
