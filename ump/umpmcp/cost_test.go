package umpmcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// TestCosts records in testdata/costs.golden how many bytes a model pays for the tools
// and for answers, at four bytes a token, and holds them to their limits.
func TestCosts(t *testing.T) {
	v := at3(t)
	for _, text := range []string{"The user drinks matcha x", "A long story. " + strings.Repeat("Once upon a time there was a fox. ", 600)} {
		if _, err := v.Remember(t.Context(), agent, memory.Draft{Record: memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: owner},
		}}); err != nil {
			t.Fatal(err)
		}
	}
	client := connect(t, v, umpmcp.Options{}, "2025-11-25")
	listed, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(listed)
	if err != nil {
		t.Fatal(err)
	}
	short, _ := ask(t, client, "ump_recall", `{"query":"matcha"}`)
	long, _ := ask(t, client, "ump_recall", `{"query":"fox."}`)
	many, _ := ask(t, client, "ump_recall", `{"query":"matcha fox. pnpm, docs/. answers.","budget":300}`)
	var costs strings.Builder
	for _, c := range []struct {
		name        string
		bytes, most int
	}{
		{"tools/list and instructions", len(list) + len(umpmcp.Instructions(false)), 5200},
		{"recall of one memory of 24 characters", len(short), 400},
		{"recall of one memory of 20 kB", len(long), 6000},
		{"recall of five memories with a budget of 300 tokens", len(many), 1200},
	} {
		fmt.Fprintf(&costs, "%s: %d bytes, limit %d\n", c.name, c.bytes, c.most)
		if c.bytes > c.most {
			t.Errorf("%s costs %d bytes, the limit is %d", c.name, c.bytes, c.most)
		}
	}
	if !strings.Contains(short, "matcha x") || strings.Count(many, `{"id":`) < 3 {
		t.Errorf("too little is said:\n%s\n%s", short, many)
	}
	transcript.Golden(t, "costs.golden", []byte(costs.String()))
}

// TestSaidOnce finds advice that a model would read twice: six words in a row.
func TestSaidOnce(t *testing.T) {
	said := map[string]string{"the instructions": umpmcp.Instructions(false)}
	for name, tool := range tools(t, at3(t), umpmcp.Options{}) {
		said[name] = tool.Description
	}
	seen := map[string]string{}
	for name, text := range said {
		words := strings.Fields(strings.ToLower(text))
		for i := 0; i+6 <= len(words); i++ {
			phrase := strings.Join(words[i:i+6], " ")
			if other := seen[phrase]; other != "" && other != name {
				t.Errorf("%s and %s both say %q", other, name, phrase)
			}
			seen[phrase] = name
		}
	}
}
