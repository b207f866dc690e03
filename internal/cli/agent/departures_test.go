package agent

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run/evaluate"
)

// TestSettingsAtOnce: of programs that change the settings of runs at once, none loses what another
// one wrote.
func TestSettingsAtOnce(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	const programs = 12
	var wait sync.WaitGroup
	for i := range programs {
		agent := fmt.Sprint("agent-", i)
		wait.Go(func() {
			if _, err := grant(&cli.App{}, h, agent, nil, []string{"book"}, false); err != nil {
				t.Error(err)
			}
		})
		wait.Go(func() {
			var r evaluate.Report
			r.Agent.ID, r.Passed = agent, true
			if err := rememberEvaluation(h, r); err != nil {
				t.Error(err)
			}
		})
		wait.Go(func() {
			if err := RememberPlatform(h, "https://"+agent+".example", agent); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	table, err := agentdoc.TreeFor(&cli.App{}, "--tools", runPath(h, toolsFile))
	if n := table.Get("grants").Len(); err != nil || n != programs {
		t.Errorf("%d grants, %v", n, err)
	}
	if known, err := readEvaluations(h); err != nil || len(known) != programs {
		t.Errorf("%d evaluations, %v", len(known), err)
	}
	if known, err := ReadPlatforms(h); err != nil || len(known) != programs {
		t.Errorf("%d platforms, %v", len(known), err)
	}
}

// TestDeparturesAtOnce: of programs that send one checkpoint at once, one does.
func TestDeparturesAtOnce(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	at := time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)
	errs := make([]error, 20)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = rememberDeparture(h, "s", aaif.Departure{}, aaif.Departure{For: "there", At: at}) })
		wait.Go(func() {
			if err := rememberDeparture(h, fmt.Sprint("other ", i), aaif.Departure{}, aaif.Departure{For: "elsewhere", At: at}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	sent := 0
	for _, err := range errs {
		if err == nil {
			sent++
		} else if !errors.Is(err, errLeaving) {
			t.Error(err)
		}
	}
	known, err := readDepartures(h)
	if sent != 1 || err != nil || len(known) != len(errs)+1 {
		t.Errorf("%d were sent, %d are known, %v", sent, len(known), err)
	}
	if err := rememberDeparture(h, "s", known["s"], aaif.Departure{}); err != nil {
		t.Error(err)
	}
	if known, err := readDepartures(h); err != nil || !known["s"].At.IsZero() {
		t.Errorf("it is still there: %v, %v", known, err)
	}
}
