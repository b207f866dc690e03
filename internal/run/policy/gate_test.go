package policy_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

var (
	reads  = aaif.ToolNature{Bound: true, ReadOnly: true}
	writes = aaif.ToolNature{Bound: true}
)

// overseen returns an agent with a human in the loop, and a trigger as JSON; "" for none.
func overseen(t *testing.T, trigger string) aaif.Definition {
	t.Helper()
	if trigger != "" {
		trigger = `,"trigger":` + trigger
	}
	return agent(t, `"compliance":{"human_in_the_loop":{"enabled":true`+trigger+`}}`)
}

func cel(expr string) string { return `{"lang":"cel","expr":` + quote(expr) + `}` }

func gate(own aaif.Definition, over ...aaif.Definition) *policy.Gate {
	return policy.NewGate(condition.NewCompiler(condition.Options{}), own, over...)
}

func call(t *testing.T, tool, args string) aaif.Call {
	t.Helper()
	return aaif.Call{ID: "1", Tool: tool, Arguments: value(t, args)}
}

func TestGate(t *testing.T) {
	for _, c := range []struct {
		name, trigger, args string
		nature              aaif.ToolNature
		ask                 bool
		event               string
	}{
		{"AAIF-4.9-13 an unknown tool writes", "", `{}`, aaif.ToolNature{}, true, ""},
		{"AAIF-4.9-13 an idempotent tool writes", "", `{}`, aaif.ToolNature{Bound: true, Idempotent: true}, true, ""},
		{"AAIF-4.9-13 a tool that is proven to read does not wait", "", `{}`, reads, false, ""},
		{"AAIF-4.9-14 a trigger that says no", cel("args.amount > 100.0"), `{"amount":50}`, writes, false, ""},
		{"AAIF-4.9-14 a trigger that says yes", cel("args.amount > 100.0"), `{"amount":150}`, writes, true, ""},
		{"AAIF-4.9-14 a trigger that says yes about a reading tool", cel("args.amount > 100.0"), `{"amount":150}`, reads, true, ""},
		{"AAIF-4.9-14 a trigger on the tool's name", cel("tool.name == 'pay' && tool.protocol == 'http'"), `{}`, writes, true, ""},
		{"AAIF-4.9-14 never", `{"lang":"never"}`, `{}`, writes, false, ""},
		{"AAIF-4.9-14 always", `{"lang":"always"}`, `{}`, reads, true, ""},
		{"AAIF-4.9-15 a string", `"before_write"`, `{}`, writes, true, "portability.string_condition"},
		{"AAIF-4.9-15 a string, and a reading tool", `"before_write"`, `{}`, reads, false, "portability.string_condition"},
		{"AAIF-4.9-15 a missing variable", cel("args.amount > 100.0"), `{}`, writes, true, "condition.error"},
		{"AAIF-4.9-15 a missing variable, and a reading tool", cel("args.amount > 100.0"), `{}`, reads, false, "condition.error"},
		{"AAIF-4.9-15 no expression of the language", cel("args.amount >"), `{"amount":1}`, writes, true, "condition.error"},
		{"AAIF-4.9-15 an unknown language", `{"lang":"rego","expr":"x"}`, `{}`, writes, true, "condition.error"},
		{"AAIF-4.9-15 arguments beyond the limits", cel("args.amount > 100.0"), `{"amount":1,"s":"` + strings.Repeat("x", 300<<10) + `"}`, writes, true, "condition.error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := gate(overseen(t, c.trigger)).Judge(call(t, "pay", c.args), aaif.HTTPTool, c.nature, canon.Value{}, canon.Value{})
			if v.Ask != c.ask || v.Event != c.event || (v.Why != "") != c.ask {
				t.Errorf("got %+v", v)
			}
		})
	}
	t.Run("AAIF-4.9-15 a language that is switched off", func(t *testing.T) {
		g := policy.NewGate(condition.NewCompiler(condition.Options{Languages: []condition.Language{condition.JSONPath}}), overseen(t, cel("false")))
		if v := g.Judge(call(t, "pay", `{}`), "", writes, canon.Value{}, canon.Value{}); !v.Ask || v.Event != "condition.error" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("AAIF-4.9-14 without a human in the loop nobody is asked", func(t *testing.T) {
		if v := gate(agent(t, "")).Judge(call(t, "pay", `{}`), "", writes, canon.Value{}, canon.Value{}); v != (policy.Verdict{}) {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("AAIF-4.9-14 confidence and variables are there", func(t *testing.T) {
		g := gate(overseen(t, cel("confidence < 0.8 && variables.phase == 'two'")))
		if v := g.Judge(call(t, "pay", `{}`), "", writes, canon.Number(0.5), value(t, `{"phase":"two"}`)); !v.Ask || v.Event != "" {
			t.Errorf("got %+v", v)
		}
	})
	t.Run("AAIF-4.9-17 a call of a restored run whose arguments are lost waits", func(t *testing.T) {
		lost := aaif.Call{Tool: "pay", Guessed: true}
		g := gate(overseen(t, `{"lang":"never"}`))
		if v := g.Judge(lost, "", writes, canon.Value{}, canon.Value{}); !v.Ask {
			t.Errorf("got %+v", v)
		}
		if v := g.Judge(lost, "", reads, canon.Value{}, canon.Value{}); v.Ask {
			t.Errorf("got %+v", v)
		}
	})
}

func TestGateOfSeveral(t *testing.T) {
	never := `{"lang":"never"}`
	for _, id := range []string{"AAIF-4.9-17", "AAIF-12-6"} {
		t.Run(id+" whoever works for others asks where they ask", func(t *testing.T) {
			for _, c := range []struct {
				own  aaif.Definition
				over []aaif.Definition
				ask  bool
			}{
				{agent(t, ""), []aaif.Definition{overseen(t, "")}, true},
				{overseen(t, never), []aaif.Definition{overseen(t, "")}, true},
				{overseen(t, ""), []aaif.Definition{overseen(t, never)}, true},
				{overseen(t, never), []aaif.Definition{overseen(t, never), agent(t, ""), overseen(t, cel("tool.name == 'pay'"))}, true},
				{overseen(t, never), []aaif.Definition{overseen(t, never), agent(t, "")}, false},
				{agent(t, ""), []aaif.Definition{agent(t, "")}, false},
			} {
				if v := gate(c.own, c.over...).Judge(call(t, "pay", `{}`), "", writes, canon.Value{}, canon.Value{}); v.Ask != c.ask {
					t.Errorf("%v, %d others: got %+v", c.own.Agent.Compliance.Oversight, len(c.over), v)
				}
			}
		})
	}
}

func TestDigest(t *testing.T) {
	args := `{"amount":501,"to":"Bob","memo":{"a":1,"b":[1,2]}}`
	approved := policy.Digest("pay", value(t, args))
	t.Run("AAIF-4.9-18 the digest is that of the canonical form", func(t *testing.T) {
		want(t, "digest", policy.Digest("pay", value(t, `{"a":1}`)), "d71f724db0d68e0dc07c771a2672f316df4381206da956129811f0992b93cf76")
	})
	for name, c := range map[string]struct {
		tool, args string
		ok         bool
	}{
		"the same":                        {"pay", args, true},
		"another order of members":        {"pay", `{"to":"Bob","memo":{"b":[1,2],"a":1.0},"amount":5.01e2}`, true},
		"another tool":                    {"Pay", args, false},
		"another amount":                  {"pay", strings.Replace(args, "501", "502", 1), false},
		"a text for a number":             {"pay", strings.Replace(args, "501", `"501"`, 1), false},
		"one more member":                 {"pay", strings.Replace(args, "{", `{"x":null,`, 1), false},
		"another order of items":          {"pay", strings.Replace(args, "[1,2]", "[2,1]", 1), false},
		"no arguments":                    {"pay", `{}`, false},
		"an integer that doubles confuse": {"pay", strings.Replace(args, "501", "9007199254740993", 1), false},
	} {
		t.Run("AAIF-4.9-18 "+name, func(t *testing.T) {
			err := policy.CheckApproved(approved, c.tool, value(t, c.args))
			if (err == nil) != c.ok || err != nil && aaif.CodeOf(err) != aaif.ApprovalMismatch {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-4.9-18 all digits of a large integer count", func(t *testing.T) {
		if policy.Digest("pay", value(t, `{"n":9007199254740993}`)) == policy.Digest("pay", value(t, `{"n":9007199254740992}`)) {
			t.Error("two integers, one digest")
		}
	})
	t.Run("AAIF-4.9-18 no arguments are an empty object", func(t *testing.T) {
		want(t, "digest", policy.Digest("pay", canon.Value{}), policy.Digest("pay", canon.Object()))
	})
}
