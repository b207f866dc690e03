package agent

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault/runstore"
)

// A list says how a run goes on that nobody executes: one that is paused, one whose program died,
// one that nobody began with, and one about which a person has decided.
func TestRunsThatStandStill(t *testing.T) {
	now := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, status string
		until        time.Time
		waits        bool
		resume       bool
		says         string
	}{
		{"paused", "paused", time.Time{}, false, true, "satchel agent resume r --model=script:s goes on with it"},
		{"its program died", "running", now.Add(-time.Second), false, true, "satchel agent resume r --model=script:s goes on with it"},
		{"its program may have died", "running", now.Add(time.Second), false, false, "satchel agent resume r --model=script:s goes on with it, if the program that executes it has died"},
		{"nobody began", "running", time.Time{}, false, true, "satchel agent resume r --model=script:s goes on with it"},
		{"in the middle of a call", "awaiting_tool_result", now.Add(-time.Second), false, true, "satchel agent resume r --model=script:s goes on with it"},
		{"a person is asked", "awaiting_approval", time.Time{}, true, false, ""},
		{"a person has decided", "awaiting_approval", time.Time{}, false, true, "satchel agent resume r --model=script:s goes on with it"},
		{"it left", "migrating", time.Time{}, false, false, ""},
		{"it is over", "completed", time.Time{}, false, false, ""},
	} {
		row, out := runstore.Run{ID: "r", Status: c.status, Until: c.until}, runOut{}
		if c.waits {
			out.Waits = []waitOut{{}}
		}
		out.Resume = standsStill(row, out, now)
		if got := goesOn(row, []string{"--model=script:s"}, out); out.Resume != c.resume || got != c.says {
			t.Errorf("%s: %v %q", c.name, out.Resume, got)
		}
	}
	if got := goesOn(runstore.Run{ID: "r", Status: "running"}, nil, runOut{Resume: true}); got != "satchel agent resume r goes on with it, or a satchel serve on this store does" {
		t.Errorf("%q", got)
	}
}

// After a decision, the program that executes the run's other agents goes on; without one, resume does.
func TestWhatGoesOnAfterDecision(t *testing.T) {
	now := time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		until time.Time
		says  string
	}{
		{"another program executes it", now.Add(time.Second), "the program that executes the run goes on with it; satchel agent watch r shows what it does"},
		{"that program died", now, "satchel agent resume r goes on with the run, or a satchel serve on this store does"},
		{"nobody executes it", time.Time{}, "satchel agent resume r goes on with the run, or a satchel serve on this store does"},
	} {
		if got := afterDecision(runstore.Run{ID: "r", Status: "awaiting_approval", Until: c.until}, nil, now); got != c.says {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
