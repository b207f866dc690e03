package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// exampleTeam is the folder of the agents that work together.
const exampleTeam = "../../../examples/agents/team"

// TestExampleTeam runs the pipeline of the examples, which has a swarm in it, to its end.
func TestExampleTeam(t *testing.T) {
	file, err := os.Open(filepath.Join(exampleTeam, "script.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	script, err := model.ReadScript(file)
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, vaulttest.Open(t))
	lines := filepath.Join(t.TempDir(), "lines")
	p.set(func(s *host.Settings) {
		s.Models.Providers = []route.Provider{{Name: "ollama", BaseURL: s.Models.Providers[0].BaseURL}}
		s.Tools.Functions = []tool.Function{{Name: "publish", Program: tool.Program{Command: faketool.Command(faketool.Function, lines)}}}
		s.Tools.Grants = []tool.Grant{{Agent: "*", Tools: []string{"publish"}}}
	})
	p.options.Models = script
	p.Host = host.New(p.options)
	for _, name := range []string{"plan", "security", "tests", "review", "write", "release"} {
		raw, err := os.ReadFile(filepath.Join(exampleTeam, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		p.takeIn(raw)
	}
	r, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: "5c2e8a06-3c55-4f0a-9a60-0f5f6f1f2b06", Input: canon.String("The new login.")})
	if err != nil {
		t.Fatal(err)
	}
	r = p.goOn()
	in, call := asking(t, r)
	if in != "write" || call.Tool != "publish" {
		t.Errorf("%s waits in %q", call.Tool, in)
	}
	if _, err := p.Approve(p.Ctx, p.Me(), runID, call.ID, call.Digest); err != nil {
		t.Fatal(err)
	}
	var threads []string
	r = p.goOn()
	for th := range r.All() {
		threads = append(threads, th.Name())
	}
	if r.Status != aaif.Completed || !strings.Contains(r.Output, "published") || strings.Join(threads, " ") != " plan review review/security review/tests review/merge write" || len(faketool.Written(lines)) != 1 {
		t.Errorf("got %s %q %+v in %q", r.Status, r.Output, r.Err, threads)
	}
}
