package agent

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestAgentListFits: a list fits into the terminal, whatever agents are called and lack,
// and what it shows of an id is enough to name its agent.
func TestAgentListFits(t *testing.T) {
	long := strings.Repeat("compliance.constraints, used at /agent/constraints: the platform does not have it; ", 5)
	all := []agentOut{
		{AgentID: "1d03534b-3c55-4f0a-9a60-0f5f6f1f2a01", Revision: 12, Version: "10.20.30", Status: "deprecated", Name: strings.Repeat("Clerk ", 40), CannotRun: []string{long, long}},
		{AgentID: "1d03534c-3c55-4f0a-9a60-0f5f6f1f2a01", Revision: 1, Status: "active", Name: "Porter"},
		{AgentID: "odd", Revision: 1, Version: "1.2.3-beta", Status: "draft", Name: "Odd\n\x1b[2J"},
	}
	for _, width := range []int{0, 80, 100, 132} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			var out strings.Builder
			a := &cli.App{Out: &out, Err: io.Discard}
			if err := showAgents(a, all, width); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
			if len(lines) != len(all) {
				t.Fatalf("%d lines: %q", len(lines), out.String())
			}
			for i, line := range lines {
				id, _, _ := strings.Cut(line, gap)
				if width > 0 && utf8.RuneCountInString(line) > width {
					t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
				}
				for j, k := range all {
					if strings.HasPrefix(k.AgentID, id) != (i == j) {
						t.Errorf("%q for %s", id, k.AgentID)
					}
				}
			}
			if !strings.Contains(lines[0], "version 10.20.30") || !strings.Contains(lines[0], "revision 12") || !strings.Contains(lines[0], "lacks 2") || !strings.Contains(lines[1], "lacks nothing") {
				t.Errorf("%q", out.String())
			}
		})
	}
}
