package condition_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
)

// TestByDecision: where this package decides otherwise than others do, on purpose. The table
// of docs/agents.md says so in words.
func TestByDecision(t *testing.T) {
	const data = `{"n":3,"s":"x","o":{"b":1,"a":2},"e":{},"l":[1,null],"at":"2026-01-01T00:00:00Z"}`
	for _, c := range []struct {
		id   string
		lang condition.Language
		expr string
		want string // true, false, or the code of the refusal
	}{
		{"AAIF-5-6", condition.JSONPath, "$.l[1]", "true"}, // null is there
		{"AAIF-5-6", condition.JSONPath, "n", "CONDITION_PARSE"},
		{"AAIF-5-6", condition.JSONPath, "$[?index(@) == 1]", "CONDITION_PARSE"},
		{"AAIF-5-6", condition.JSONPath, "$.l.length()", "CONDITION_PARSE"},
		{"AAIF-5-6", condition.JSONPath, "$.l[?search(@.x, 'x')]", "false"},
		{"AAIF-5-7", condition.JMESPath, "keys(o)[0] == 'a'", "true"},
		{"AAIF-5-7", condition.JMESPath, "let $x = n in $x == `3`", "true"},
		{"AAIF-5-7", condition.JMESPath, "$.n == `3`", "true"},
		{"AAIF-5-7", condition.JMESPath, "uuid()", "CONDITION_PARSE"},
		{"AAIF-5-8", condition.CEL, "n", "CONDITION_TYPE"},
		{"AAIF-5-8", condition.CEL, "n == 3", "true"},
		{"AAIF-5-8", condition.CEL, "n + 1 == 4", "CONDITION_ERROR"}, // numbers of a payload are doubles
		{"AAIF-5-8", condition.CEL, "n + 1.0 == 4.0", "true"},
		{"AAIF-5-8", condition.CEL, "timestamp(at).getHours() == 0", "true"},
		{"AAIF-5-8", condition.CEL, "timestamp(at).getHours('Europe/Vienna') == 1", "CONDITION_PARSE"},
		{"AAIF-5-8", condition.CEL, "s.charAt(0) == 'x'", "CONDITION_PARSE"},
		{"AAIF-5-9", condition.JSONLogic, `{"!!":[{"var":"e"}]}`, "true"},
		{"AAIF-5-9", condition.JSONLogic, `{"and":[null,true]}`, "false"},
		{"AAIF-5-9", condition.JSONLogic, `{"log":"x"}`, "CONDITION_PARSE"},
		{"AAIF-5-9", condition.JSONLogic, `{"starts_with":["xy","x"]}`, "CONDITION_PARSE"},
		{"AAIF-5-9", condition.JSONLogic, `{"==":[1,1],"!":[false]}`, "CONDITION_PARSE"},
	} {
		t.Run(c.id+" "+string(c.lang)+" "+c.expr, func(t *testing.T) {
			got := ""
			cond, err := condition.NewCompiler(condition.Options{}).Compile(written(t, c.lang, c.expr), "")
			if err == nil {
				var yes bool
				yes, err = cond.Eval(payload(t, data))
				got = fmt.Sprint(yes)
			}
			if err != nil {
				got = string(condition.CodeOf(err))
			}
			if got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}
