//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// TestAgentRunAsksProviders runs an agent on two providers of the operator table, the first
// of which does not answer.
func TestAgentRunAsksProviders(t *testing.T) {
	t.Parallel()
	busy, busyAt := fakemodel.Start(t, model.Step{Status: http.StatusTooManyRequests, RetryAfter: "60", Times: 99})
	open, openAt := fakemodel.Start(t, model.Step{Answer: "Good morning.", Usage: &model.Usage{Input: 1000, Output: 500}, Times: 99})
	p := newParty(t, t.Context())
	h, err := p.app.Home()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(h.Dir, "run", "keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	table := fmt.Sprintf(`{"providers":[{"name":"anthropic","base_url":%q},{"name":"openai","base_url":%q}],
		"models":[{"provider":"openai","model":"small","usd_per_1k_input":0.002,"usd_per_1k_output":0.004}]}`, busyAt, openAt+"/v1")
	clerk := filepath.Join(t.TempDir(), "clerk.json")
	for path, text := range map[string]string{
		filepath.Join(h.Dir, "run", "models.json"):       table,
		filepath.Join(h.Dir, "run", "keys", "anthropic"): "key-of-anthropic\n",
		filepath.Join(h.Dir, "run", "keys", "openai"):    "key-of-openai\n",
		clerk: `{"sc_standard":"SC-006","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","agent":{"name":"Clerk","goal":"G",
			"model":{"provider":"anthropic","preferred":"large","fallbacks":[{"provider":"openai","model":"small"}]}}}`,
	} {
		clitest.Put(t, path, []byte(text), time.Now())
	}

	t.Run("a plan names the hosts, and asks none of them", func(t *testing.T) {
		p.does(cli.ExitDone, "agent", "run", clerk, "--dry-run")
		for _, at := range []string{busyAt, openAt} {
			p.told(`leaves .*(` + strings.TrimPrefix(at, "http://") + `)`)
		}
		if n := len(busy.Requests()) + len(open.Requests()); n != 0 {
			t.Errorf("%d requests were made", n)
		}
		p.does(cli.ExitDone, "agent", "list")
		if strings.Contains(p.out.String(), "lacks nothing  Clerk") {
			t.Error("a plan has added the agent")
		}
	})
	t.Run("AAIF-4.2-3 the second route answers, and each provider sees its own key", func(t *testing.T) {
		said := p.does(cli.ExitDone, "agent", "run", clerk, "-i", "Hello.", "--json")
		for _, want := range []string{"turn 1  asks anthropic/large", "anthropic/large does not answer", "turn 1  asks openai/small", "1500 tokens, $0.004"} {
			if !strings.Contains(said, want) {
				t.Errorf("it does not say %q: %s", want, said)
			}
		}
		if got := p.told(`"output": "([^"]*)"`); got != "Good morning." {
			t.Errorf("it answers %q", got)
		}
		if len(busy.Requests()) != 1 || len(open.Requests()) != 1 {
			t.Fatalf("%d and %d requests, want 1 and 1", len(busy.Requests()), len(open.Requests()))
		}
		first, second := fmt.Sprint(busy.Requests()[0].Header), fmt.Sprint(open.Requests()[0].Header)
		if !strings.Contains(first, "key-of-anthropic") || strings.Contains(first, "key-of-openai") || !strings.Contains(second, "key-of-openai") || strings.Contains(second, "key-of-anthropic") {
			t.Errorf("%s\n%s", first, second)
		}
	})
}
