package agents_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

// numbered is the id of an agent of a test.
func numbered(n int) string { return fmt.Sprintf("5f0c7a52-0c5d-4d5a-9a68-2f0c6a1f%04d", n) }

// referring is a definition of a numbered agent that has others for subagents.
func referring(n int, refs ...string) string {
	list := make([]string, len(refs))
	for i, ref := range refs {
		list[i] = `{"ref":` + quoted(ref) + `}`
	}
	return strings.Replace(definition(`"orchestration":{"subagents":[`+strings.Join(list, ",")+`]}`), agentID, numbered(n), 1)
}

// circles are the warnings of circles in a receipt.
func circles(r aaif.Receipt) (found []string) {
	for _, w := range r.Warnings {
		if strings.Contains(w, "AAIF-4.3-25") {
			found = append(found, w)
		}
	}
	return found
}

func TestCircle(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string // taken in, the last one to be judged
		at   []string // what the warnings are about: indexes of subagents; none: there are none
	}{
		{"A refs B refs A", []string{referring(1, numbered(2)), referring(2, numbered(1))}, []string{"0"}},
		{"it refs itself", []string{referring(1, numbered(1))}, []string{"0"}},
		{"a long way round", []string{referring(1, numbered(2)), referring(2, "https://agents.example/x", numbered(3)), referring(3, numbered(9), numbered(1))}, []string{"1"}},
		{"by two ways", []string{referring(1, numbered(3)), referring(2, numbered(3)), referring(3, numbered(1), numbered(2))}, []string{"0", "1"}},
		{"as a URI, in capital letters", []string{referring(1, "URN:UUID:"+strings.ToUpper(numbered(2))), referring(2, "urn:uuid:"+numbered(1))}, []string{"0"}},
		{"one after the other", []string{referring(2, numbered(3)), referring(3), referring(1, numbered(2), numbered(3))}, nil},
		{"a circle that it is not in", []string{referring(2, numbered(3)), referring(3, numbered(2)), referring(1, numbered(2))}, nil},
		{"a circle that a later revision has left", []string{referring(1, numbered(2)), referring(1), referring(2, numbered(1))}, nil},
		{"its own revision before that closed one", []string{referring(2, numbered(1)), referring(1, numbered(2)), referring(1, numbered(3))}, nil},
	} {
		t.Run("AAIF-4.3-25 "+c.name, func(t *testing.T) {
			h := open(t, running())
			var last aaif.Receipt
			for _, raw := range c.in {
				last = h.taken(raw)
			}
			found := circles(last)
			if len(found) != len(c.at) {
				t.Fatalf("warned of %q", found)
			}
			for i, at := range c.at {
				if !strings.Contains(found[i], "/agent/orchestration/subagents/"+at+"/ref") || !strings.Contains(found[i], "cycle") {
					t.Errorf("warned of %q, want %s", found[i], at)
				}
			}
		})
	}
	t.Run("AAIF-4.3-25 a dry run warns, too", func(t *testing.T) {
		h := open(t, running())
		h.taken(referring(2, numbered(1)))
		r, err := h.Intake(context.Background(), h.owner(), []byte(referring(1, numbered(2))), aaif.IntakeOptions{DryRun: true})
		if err != nil || len(circles(r)) != 1 {
			t.Errorf("got %+v, %v", r.Warnings, err)
		}
	})
	t.Run("AAIF-4.3-25 as many agents as are looked at", func(t *testing.T) {
		h := open(t, running(), func(o *agents.Options) { o.Limits.Agents = 3 })
		for n := 2; n < 7; n++ {
			h.taken(referring(n, numbered(n+1)))
		}
		found := circles(h.taken(referring(1, numbered(2))))
		if len(found) != 1 || strings.Contains(found[0], "a cycle") || !strings.Contains(found[0], "(3)") {
			t.Errorf("warned of %q", found)
		}
	})
}
