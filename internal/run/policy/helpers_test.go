package policy_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

func value(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// agent returns a definition with the members of an agent.
func agent(t *testing.T, members string) aaif.Definition {
	t.Helper()
	all := `"name":"Clerk","goal":"Book receipts"`
	if members != "" {
		all += "," + members
	}
	return aaif.ReadDefinition(value(t, `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"0b6e0f0a-6a53-4f0e-9d0c-0a4f5f6a7b8c","agent":{`+all+`}}`))
}

// events returns the codes of notices with their pointers.
func events(notices []policy.Notice) string {
	var list []string
	for _, n := range notices {
		list = append(list, strings.TrimSpace(n.Event+" "+n.Pointer))
	}
	return strings.Join(list, ", ")
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

// quote returns a text as JSON.
func quote(text string) string { return string(canon.String(text).AppendCanonical(nil)) }
