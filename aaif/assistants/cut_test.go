package assistants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// overfull is a definition whose constraints take more than all metadata.
func overfull(t *testing.T) canon.Value {
	rules := canon.Array()
	for i := range 25 {
		rules = rules.WithItem(i, canon.String(fmt.Sprintf("%02d ", i)+strings.Repeat("Never pay. ", 36)))
	}
	v := exchangetest.Tree(t, `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","agent":{"name":"N","goal":"G",
		"model":{"provider":"anthropic","preferred":"m","params":{"seed":7}},"compliance":{"safety_level":"regulated","audit_log":true}}}`)
	return v.With("agent", v.Get("agent").With("constraints", rules))
}

// told returns the reason that has some words, and "" where none has them.
func told(lost []codec.Loss, words string) string {
	for _, l := range lost {
		if strings.Contains(l.Reason, words) && exchange.Matters(l) {
			return l.Reason
		}
	}
	return ""
}

// TestCut: what did not come along is told by whoever reads the assistant as well.
func TestCut(t *testing.T) {
	v := overfull(t)
	a, gone := convert(t, v)
	back, lost, err := from(a)
	if err != nil {
		t.Fatal(err)
	}
	b := back.Document()
	t.Run("AAIF-3-4 AAIF-12-6 the reader is told how many constraints are missing", func(t *testing.T) {
		missing := 25 - len(back.Agent.Constraints)
		reason := told(lost, "/agent/constraints")
		if missing < 5 || !strings.Contains(reason, fmt.Sprintf("%d of /agent/constraints", missing)) || !strings.Contains(reason, "AAIF-3-4") || !strings.Contains(reason, "AAIF-12-6") {
			t.Errorf("%d are missing, told %q: %v", missing, reason, lost)
		}
	})
	t.Run("AAIF-3-4 AAIF-12-6 what is small and matters goes first", func(t *testing.T) {
		if b.Get("agent_id").Text() != v.Get("agent_id").Text() {
			t.Errorf("no agent_id: %v", gone)
		}
		if !canon.Equal(b.Get("agent").Get("compliance"), v.Get("agent").Get("compliance")) || back.Agent.Model.Provider != "anthropic" || back.Agent.Goal != "G" {
			t.Errorf("got %s", b.Append(nil))
		}
	})
	t.Run("AAIF-3-4 the mark is no part of the definition", func(t *testing.T) {
		if strings.Contains(string(b.Append(nil)), "x-aaif-cut") {
			t.Errorf("got %s", b.Append(nil))
		}
	})
	t.Run("AAIF-3-4 tools that did not come along are told", func(t *testing.T) {
		tools := canon.Array()
		for i := range 140 {
			tools = tools.WithItem(i, exchangetest.Tree(t, fmt.Sprintf(`{"name":"t%d","description":%q,"timeout_seconds":5}`, i, strings.Repeat("d", 900))))
		}
		v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G","model":{"preferred":"m"}}}`)
		a, _ := convert(t, v.With("agent", v.Get("agent").With("tools", tools)))
		back, lost, err := from(a)
		if err != nil || len(back.Agent.Tools) == 140 || told(lost, "/agent/tools") == "" {
			t.Errorf("%d tools, %v %v", len(back.Agent.Tools), lost, err)
		}
	})
	t.Run("AAIF-3-4 a signature that was left out is told", func(t *testing.T) {
		a, _ := convert(t, v.With("provenance", canon.Object(canon.Member{Name: "signature", Value: canon.String(strings.Repeat("A", 86) + "==")})))
		if _, lost, err := from(a); err != nil || told(lost, "/provenance") == "" {
			t.Errorf("got %v %v", lost, err)
		}
	})
	t.Run("AAIF-3-4 a whole one says nothing", func(t *testing.T) {
		a, _ := convert(t, held(t))
		if _, lost, err := from(a); err != nil || len(lost) != 0 || strings.Contains(string(a.Append(nil)), "x-aaif-cut") {
			t.Errorf("got %v %v", lost, err)
		}
	})
	t.Run("AAIF-3-4 a mark of any form is told, and repeats nothing", func(t *testing.T) {
		for _, mark := range []string{`true`, `{}`, `[]`, `{"/agent/constraints":"x"}`, `{"GhP_1":2}`, `{"/agent/constraints":-1}`} {
			piece := `{"sc_standard":"SC-006","agent":{"goal":"G"},"x-aaif-cut":` + mark + `}`
			a := exchangetest.Tree(t, `{"object":"assistant","name":"N","model":"m","tools":[]}`).With("metadata", canon.Object(canon.Member{Name: "x-aaif", Value: canon.String(piece)}))
			d, lost, err := from(a)
			if err != nil || told(lost, "AAIF-3-4") == "" || strings.Contains(fmt.Sprint(lost), "GhP") || d.Value.Has("x-aaif-cut") {
				t.Errorf("%s: got %v %v", mark, lost, err)
			}
		}
	})
}

// TestRenamed: a function that has another name takes nothing along that is carried of it.
func TestRenamed(t *testing.T) {
	v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G","model":{"provider":"openai","preferred":"m"},
		"tools":[{"name":"pay","description":"P","protocol":"function","timeout_seconds":5,"rate_limit":{"requests_per_minute":2},"parameters_schema":{"type":"object"}},{"name":"see","description":"S","protocol":"function"}],
		"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"tool.name == 'pay'"}}}}}`)
	renamed := func(t *testing.T, v canon.Value, into string) []codec.Loss {
		a, _ := convert(t, v)
		if _, lost, err := from(a); err != nil || len(lost) != 0 {
			t.Fatal("untouched:", lost, err)
		}
		tools := a.Get("tools")
		function := tools.Items()[0].Get("function").With("name", canon.String(into))
		_, lost, err := from(a.With("tools", tools.WithItem(0, tools.Items()[0].With("function", function))))
		if err != nil {
			t.Fatal(err)
		}
		return lost
	}
	t.Run("AAIF-3-4 what was carried of it is told", func(t *testing.T) {
		reason := told(renamed(t, v, "pay_now"), "timeout_seconds")
		if !strings.Contains(reason, "pay") || !strings.Contains(reason, "rate_limit") || !strings.Contains(reason, "AAIF-3-4") {
			t.Errorf("got %q", reason)
		}
	})
	for name, trigger := range map[string]string{
		"cel": `{"lang":"cel","expr":"tool.name == 'pay'"}`, "jsonlogic": `{"lang":"jsonlogic","expr":{"==":[{"var":"tool.name"},"pay"]}}`, "jmespath": "{\"lang\":\"jmespath\",\"expr\":\"tool.name == 'pay'\"}",
	} {
		t.Run("AAIF-3-4 AAIF-12-6 a condition that names it is told, of "+name, func(t *testing.T) {
			is, _ := v.At("/agent/compliance/human_in_the_loop")
			with := v.With("agent", v.Get("agent").With("compliance", canon.Object(canon.Member{Name: "human_in_the_loop", Value: is.With("trigger", exchangetest.Tree(t, trigger))})))
			for _, w := range []canon.Value{with, without(with)} {
				lost := renamed(t, w, "pay_now")
				reason := told(lost, "the condition")
				if !strings.Contains(reason, "pay") || !strings.Contains(reason, "AAIF-12-6") {
					t.Errorf("got %v", lost)
				}
			}
			if lost := renamed(t, with, "pay"); len(lost) != 0 {
				t.Errorf("got %v", lost)
			}
		})
	}
	t.Run("AAIF-12-3 a name that is a secret is not repeated", func(t *testing.T) {
		secret := "ghp" + "_" + "k3Jx9QmZ7LpW2vRtY8bNcD4fGhS6aE1uT5oI"
		piece := `{"sc_standard":"SC-006","agent":{"goal":"G","tools":[{"name":"` + secret + `","` + secret + `":1}],"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"tool.name == '` + secret + `'"}}}}}`
		a := exchangetest.Tree(t, `{"object":"assistant","name":"N","model":"m","tools":[]}`).With("metadata", canon.Object(canon.Member{Name: "x-aaif", Value: canon.String(piece)}))
		if _, lost, err := from(a); err != nil || told(lost, "AAIF-3-4") == "" || strings.Contains(fmt.Sprint(lost), secret) {
			t.Errorf("got %v %v", lost, err)
		}
	})
	t.Run("AAIF-3-4 a condition that names another is not told", func(t *testing.T) {
		other := v.With("agent", v.Get("agent").With("compliance", exchangetest.Tree(t, `{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"tool.name == 'see' || tool.name == 'repay'"}}}`)))
		if reason := told(renamed(t, other, "pay_now"), "the condition"); reason != "" {
			t.Errorf("got %q", reason)
		}
	})
}

// without returns a definition whose first tool has nothing that is carried.
func without(v canon.Value) canon.Value {
	tools := v.Get("agent").Get("tools")
	plain := tools.Items()[0].Without("timeout_seconds").Without("rate_limit")
	return aaif.ReadDefinition(v.With("agent", v.Get("agent").With("tools", tools.WithItem(0, plain)))).Document()
}
