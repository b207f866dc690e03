package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
)

// TestSmallFiles: what is remembered stays readable, however much there is of it.
func TestSmallFiles(t *testing.T) {
	h := cli.Home{Dir: t.TempDir()}
	for i := range 400 {
		if err := RememberPlatform(h, fmt.Sprintf("https://%03d.%s.example", i, strings.Repeat("p", 150)), strings.Repeat("n", 100)); err != nil {
			t.Fatal(i, err)
		}
	}
	known, err := ReadPlatforms(h)
	if last := fmt.Sprintf("https://399.%s.example", strings.Repeat("p", 150)); err != nil || len(known) < 100 || known[last] == "" {
		t.Errorf("%d platforms are known, %v", len(known), err)
	}
}

// A warning says its code once.
func TestWarningsSayTheirCodeOnce(t *testing.T) {
	for text, want := range map[string]string{
		"agent.status /status: a draft": "  warning: agent.status /status: a draft",
		"a draft":                       "  warning: agent.status: a draft",
		"":                              "  warning: agent.status",
	} {
		if got := (&runView{}).lines(run.Event{Kind: run.Noted, Code: "agent.status", Text: text}, run.Run{}); len(got) != 1 || got[0] != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}

// What is ordinary in a run is no warning.
func TestOrdinaryNotes(t *testing.T) {
	for code, want := range map[string]string{"judge.asked": "  noted: judge.asked: x", "trigger.schedule": "  noted: trigger.schedule: x", "hook.failed": "  warning: hook.failed: x", "route.skipped": "  warning: route.skipped: x"} {
		if got := (&runView{}).lines(run.Event{Kind: run.Noted, Code: code, Text: "x"}, run.Run{}); len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q", code, got)
		}
	}
}
