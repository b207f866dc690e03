package topology_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

func TestHandoffs(t *testing.T) {
	const billing, anything, words = `{"condition":{"lang":"cel","expr":"intent == 'billing'"},"target_agent":"billing"}`,
		`{"condition":{"lang":"always"},"target_agent":"urn:desk","pass_context":false,"pass_memory":true}`, `{"condition":"the customer is angry","target_agent":"boss"}`
	for _, c := range []struct {
		name, handoffs, output string
		target                 string
		notes                  string // the codes
	}{
		{"AAIF-4.3-18 a satisfied condition hands over", billing, `{"intent":"billing"}`, "billing", ""},
		{"AAIF-4.3-18 one that is not satisfied does not", billing, `{"intent":"weather"}`, "", ""},
		{"AAIF-4.3-18 the first satisfied one in declared order counts", billing + "," + anything, `{"intent":"billing"}`, "billing", ""},
		{"AAIF-4.3-18 a later one counts where those before it are not satisfied", billing + "," + anything, `{"intent":"weather"}`, "desk", ""},
		{"a condition that fails hands nothing over", billing, `no JSON`, "", condition.EventError},
		{"AAIF-5-14 a condition in words hands nothing over and is noted", words, "angry", "", condition.EventHint},
		{"the message and the output are there", `{"condition":{"lang":"cel","expr":"message == 'Hello' && output.startsWith('Good')"},"target_agent":"desk"}`, "Good bye", "desk", ""},
		{"the input and the variables are there", `{"condition":{"lang":"jmespath","expr":"input.n == variables.n"},"target_agent":"desk"}`, "", "desk", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := definition(t, `{"subagents":[{"ref":"urn:desk","alias":"desk"}],"handoff":[`+c.handoffs+`]}`)
			h, err := topology.NewHandoffs(compiler, d)
			if err != nil {
				t.Fatal(err)
			}
			n := canon.Object(canon.Member{Name: "n", Value: canon.Int(3)})
			got, yes, notes := h.After(topology.Turn{Input: n, Output: c.output, Message: "Hello", Variables: n})
			codes := ""
			for _, n := range notes {
				codes += n.Code
				if n.Pointer != "/agent/orchestration/handoff/0/condition" {
					t.Errorf("the note is at %s", n.Pointer)
				}
			}
			if got.Target != c.target || yes != (c.target != "") || codes != c.notes {
				t.Errorf("it goes to %q with the notes %q, want %q and %q", got.Target, codes, c.target, c.notes)
			}
		})
	}
	t.Run("a condition that cannot be read is refused", func(t *testing.T) {
		d := definition(t, `{"handoff":[{"condition":{"lang":"cel","expr":"("},"target_agent":"desk"}]}`)
		if _, err := topology.NewHandoffs(compiler, d); condition.CodeOf(err) != condition.Parse {
			t.Errorf("got %v", err)
		}
		d = definition(t, "{"+subagents("a?cel (")+"}")
		if _, err := topology.New(compiler, d, func(string) (aaif.Definition, bool) { return aaif.Definition{}, false }); condition.CodeOf(err) != condition.Parse {
			t.Errorf("got %v", err)
		}
	})
}

func TestMembers(t *testing.T) {
	d := definition(t, `{"subagents":[{"ref":"urn:a","alias":"a"},{"ref":"urn:b"}],"consensus":{"referee_agent":"urn:r"},
		"handoff":[{"condition":{"lang":"always"},"target_agent":"urn:a"},{"condition":{"lang":"always"},"target_agent":"urn:h"}]}`)
	want := []string{"a urn:a", "urn:b urn:b", "urn:r urn:r", "urn:h urn:h"}
	all := topology.Members(d)
	if len(all) != len(want) {
		t.Fatalf("%d members, want %d", len(all), len(want))
	}
	for i, s := range all {
		if got := s.Alias + " " + s.Ref; got != want[i] {
			t.Errorf("member %d is %s, want %s", i, got, want[i])
		}
	}
}
