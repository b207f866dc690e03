package agents_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

// under puts a numbered agent's definition under other rules.
func under(raw, rules string) string {
	return strings.Replace(raw, `"agent":{`, `"agent":{"compliance":{`+rules+`},`, 1)
}

// saying are the warnings of a receipt with a word in them.
func saying(r aaif.Receipt, word string) (found []string) {
	for _, w := range r.Warnings {
		if strings.Contains(w, word) {
			found = append(found, w)
		}
	}
	return found
}

func TestUnresolvedSubagents(t *testing.T) {
	const elsewhere = "https://agents.example/reviewer.aaif.json"
	kept := []string{referring(2), strings.Replace(definition(), agentID, "clerk", 1)}
	for _, c := range []struct {
		name string
		refs []string
		at   string // of those that are not resolved
	}{
		{"that is kept", []string{numbered(2)}, ""},
		{"in capital letters", []string{strings.ToUpper(numbered(2))}, ""},
		{"as a URI of it", []string{"urn:uuid:" + numbered(2)}, ""},
		{"that is no UUID and kept", []string{"clerk"}, ""},
		{"to itself", []string{numbered(1)}, ""},
		{"to nobody", []string{numbered(2), numbered(9)}, "1"},
		{"to nobody, as a URI", []string{"urn:uuid:" + numbered(9)}, "0"},
		{"elsewhere, where nobody looks", []string{numbered(2), elsewhere}, "1"},
		{"that is neither", []string{"judge"}, "0"},
		{"several times to nobody", []string{numbered(8), elsewhere, numbered(9)}, "0 1 2"},
	} {
		for level, strict := range map[string]bool{"minimal": false, "standard": false, "strict": true, "regulated": true} {
			t.Run("AAIF-4.3-2 a reference "+c.name+", at "+level, func(t *testing.T) {
				h := open(t, running())
				for _, raw := range kept {
					h.taken(raw)
				}
				raw := signedBy(t, h.key, under(referring(1, c.refs...), `"safety_level":"`+level+`"`))
				refused := strict && c.at != ""
				if refused {
					if err := h.refuses(raw, aaif.SubagentUnresolved); !isKeepable(err) || !strings.Contains(err.Error(), "/subagents/"+c.at[:1]+"/ref") {
						t.Errorf("got %v", err)
					}
				}
				r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{Keep: refused})
				if err != nil {
					t.Fatal(err)
				}
				unresolved(t, r, strings.Fields(c.at))
			})
		}
	}
}

// unresolved expects a receipt to warn of subagents that are not resolved, and of no others.
func unresolved(t *testing.T, r aaif.Receipt, at []string) {
	t.Helper()
	found := saying(r, "AAIF-4.3-2]")
	if len(found) != len(at) {
		t.Fatalf("warned of %q", found)
	}
	for i, at := range at {
		if !strings.Contains(found[i], "/agent/orchestration/subagents/"+at+"/ref") {
			t.Errorf("warned of %q, want %s", found[i], at)
		}
	}
}

func TestUnresolvedAndDry(t *testing.T) {
	t.Run("AAIF-4.3-2 a dry run tells it, too", func(t *testing.T) {
		h := open(t, running())
		r, err := h.Intake(context.Background(), h.owner(), []byte(referring(1, numbered(9))), aaif.IntakeOptions{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		unresolved(t, r, []string{"0"})
	})
	t.Run("AAIF-4.3-2 one that has no id yet", func(t *testing.T) {
		raw := strings.Replace(referring(1, numbered(9)), `"agent_id":"`+numbered(1)+`",`, "", 1)
		unresolved(t, open(t, running()).taken(raw), []string{"0"})
	})
	t.Run("AAIF-4.3-2 more subagents than are looked at", func(t *testing.T) {
		h := open(t, running(), func(o *agents.Options) { o.Limits.Agents = 2 })
		var refs []string
		for n := 2; n < 7; n++ {
			h.taken(referring(n))
			refs = append(refs, numbered(n))
		}
		unresolved(t, h.taken(referring(1, refs...)), nil)
		h.refuses(signedBy(t, h.key, under(referring(1, refs...), `"safety_level":"strict"`)), aaif.SubagentUnresolved)
	})
	t.Run("AAIF-4.3-2 a list and the definition itself say what it lacks", func(t *testing.T) {
		h := open(t, running())
		raw := signedBy(t, h.key, under(referring(1, numbered(2)), `"safety_level":"strict"`))
		r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{Keep: true})
		if err != nil || len(r.Kept.CannotRun) != 1 {
			t.Fatalf("got %q, %v", r.Kept.CannotRun, err)
		}
		lacks := func() string {
			one, err := h.Agent(context.Background(), h.owner(), numbered(1), 0)
			list, err2 := h.Agents(context.Background(), h.owner(), "", 1)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			return fmt.Sprint(one.CannotRun, list[0].CannotRun)
		}
		if got := lacks(); strings.Count(got, numbered(2)) != 2 {
			t.Errorf("got %s", got)
		}
		h.taken(referring(2))
		if got := lacks(); got != "[] []" {
			t.Errorf("once it is there: %s", got)
		}
	})
}

// TestListedElsewhere: an agent elsewhere is no unresolved subagent if runs may give it tasks.
func TestListedElsewhere(t *testing.T) {
	const card = "https://agents.example/.well-known/agent-card.json"
	for _, level := range []string{"standard", "strict"} {
		t.Run("AAIF-4.3-2 a card that is listed, at "+level, func(t *testing.T) {
			h := open(t, running(), func(o *agents.Options) { o.Cards = []string{card} })
			r := h.taken(signedBy(t, h.key, under(referring(1, card), `"safety_level":"`+level+`"`)))
			unresolved(t, r, nil)
			if len(r.Kept.CannotRun) > 0 {
				t.Errorf("cannot run for want of %q", r.Kept.CannotRun)
			}
		})
	}
}

// TestAllReasons: one refusal lists every reason why the agent cannot run here.
func TestAllReasons(t *testing.T) {
	h := open(t, running(func(o *aaif.Offer) { o.Capabilities.Tool.MCP = false }))
	raw := signedBy(t, h.key, strings.Replace(referring(1, numbered(8), numbered(9)), `"agent":{`,
		`"agent":{"compliance":{"safety_level":"strict"},"events":{"on_start":"begins","on_complete":"ends"},`+tools("mcp shelf", "function pay")+`,`, 1))
	err := h.refuses(raw, aaif.UnsatisfiedCapabilities)
	if !isKeepable(err) {
		t.Errorf("it cannot be kept: %v", err)
	}
	for at, n := range map[string]int{"/agent/tools/0/protocol": 1, "/agent/events/": 2, "/agent/tools/1/name": 1, "/subagents/0/ref": 1, "/subagents/1/ref": 1} {
		if got := strings.Count(err.Error(), at); got != n {
			t.Errorf("%s is told %d times: %v", at, got, err)
		}
	}
	if !strings.Contains(err.Error(), "they work as orchestration says") {
		t.Errorf("nobody says what becomes of a function for subagents: %v", err)
	}
}
