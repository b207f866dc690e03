package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// TestA2AByJavaScript serves an agent, and the A2A project's client for JavaScript works with
// it, in both editions. SATCHEL_A2A_SDK names the folder test/a2a with that client installed, as
// make test-a2a does.
func TestA2AByJavaScript(t *testing.T) {
	folder := os.Getenv("SATCHEL_A2A_SDK")
	if folder == "" {
		t.Skip("SATCHEL_A2A_SDK names no folder with the A2A project's client for JavaScript: see make test-a2a")
	}
	none, one := 0, 1
	_, at := fakemodel.Start(t,
		model.Step{Last: "Pay.", Turn: &none, Calls: []model.ScriptCall{{ID: "c", Tool: "pay"}}},
		model.Step{Turn: &none, Answer: "Done."}, model.Step{Turn: &one, Answer: "Paid."})
	h := newHome(t)
	const agent = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	for name, text := range map[string]string{
		"store/run/models.json": `{"providers":[{"name":"ollama","base_url":"` + at + `","regions":["EU"]}],"models":[{"provider":"ollama","model":"m","context_tokens":8000,"usd_per_1k_input":0,"usd_per_1k_output":0}]}`,
		"store/run/tools.json":  `{"functions":[{"name":"pay","command":["/bin/true"]}],"grants":[{"agent":"*","tools":["*"]}]}`,
		"clerk.json": `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"` + agent + `","agent":{"name":"Clerk","goal":"Book every receipt.","version":"1.0.0","model":{"provider":"ollama","preferred":"m"},
			"tools":[{"name":"pay","description":"Pays.","protocol":"function","parameters_schema":{"type":"object"}}],"compliance":{"human_in_the_loop":{"enabled":true}}}}`,
	} {
		path := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.run("agent", "add", "clerk.json")
	token := strings.TrimSpace(h.run("token", "mint", "--verb", "derive", "--agent", agent, "--all"))
	address, _ := h.serve("--a2a", agent)
	for _, edition := range []string{"1.0", "0.3"} {
		cmd := exec.Command("node", filepath.Join(folder, "client.mjs"), "http://"+address, token, agent, edition)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", edition, err, out)
			continue
		}
		method := map[string]string{"1.0": "SendStreamingMessage", "0.3": "message/stream"}[edition]
		if !strings.Contains(string(out), method) || !strings.Contains(string(out), "cancelled") {
			t.Errorf("%s: %s", edition, out)
		}
		t.Logf("%s: %s", edition, out)
	}
}
