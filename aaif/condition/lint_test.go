package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
)

func TestLint(t *testing.T) {
	for _, c := range []struct {
		id, condition string
		site          condition.Site
		want          string
	}{
		{"AAIF-5-6", `{"lang":"jsonpath","expr":"$[?(@.dry_run == false)]"}`, condition.Filter, "CONDITION_ROOT_FILTER"},
		{"AAIF-5-6", `{"lang":"jsonpath","expr":"$[0]"}`, condition.Filter, "CONDITION_NEVER"},
		{"AAIF-5-6", `{"lang":"jsonpath","expr":"$[1:2].a"}`, condition.When, "CONDITION_NEVER"},
		{"AAIF-5-6", `{"lang":"jsonpath","expr":"$.items[0]"}`, condition.Filter, ""},
		{"AAIF-5-6", `{"lang":"jsonpath","expr":"$.items[?(@.dry_run == false)]"}`, condition.Filter, ""},
		{"AAIF-5-6", `{"lang":"jmespath","expr":"[0]"}`, condition.Filter, "CONDITION_NEVER"},
		{"AAIF-5-5", `{"lang":"jsonpath","expr":"$.task.type","nl":"task type is code_review"}`, condition.When, "CONDITION_EXISTENCE_ONLY"},
		{"AAIF-5-5", `{"lang":"jsonpath","expr":"$.task.type","nl":"a task type is present"}`, condition.When, ""},
		{"AAIF-5-5", `{"lang":"jsonpath","expr":"$.task[?@ == 'code_review']","nl":"task type is code_review"}`, condition.When, ""},
		{"AAIF-5-21", `{"lang":"jsonpath","expr":"$.tsk.type"}`, condition.When, "CONDITION_UNKNOWN_NAME"},
		{"AAIF-5-21", `{"lang":"jsonpath","expr":"$..type"}`, condition.When, ""},
		{"AAIF-5-21", `{"lang":"cel","expr":"action == 'opened'"}`, condition.Approval, "CONDITION_UNKNOWN_NAME"},
		{"AAIF-5-21", `{"lang":"cel","expr":"action == 'opened'"}`, condition.Filter, ""},
		{"AAIF-5-21", `{"lang":"cel","expr":"input.tool.name == 'pay'"}`, condition.Approval, ""},
		{"AAIF-5-21", `{"lang":"cel","expr":"tool.name.exists(x, x == 'pay')"}`, condition.Approval, ""},
		{"AAIF-5-21", `{"lang":"jmespath","expr":"intent == 'billing'"}`, condition.Handoff, ""},
		{"AAIF-5-21", `{"lang":"jmespath","expr":"itent == 'billing'"}`, condition.Handoff, "CONDITION_UNKNOWN_NAME"},
		{"AAIF-5-21", `{"lang":"jmespath","expr":"args.list[?amount > ` + "`1`" + `]"}`, condition.Approval, ""},
		{"AAIF-5-21", `{"lang":"jsonlogic","expr":{">":[{"var":"amount"},1]}}`, condition.Approval, "CONDITION_UNKNOWN_NAME"},
		{"AAIF-5-21", `{"lang":"jsonlogic","expr":{"some":[{"var":"args.l"},{">":[{"var":"amount"},1]}]}}`, condition.Approval, ""},
		{"AAIF-5-16", `{"lang":"cel","expr":"1 > 2"}`, condition.Filter, "CONDITION_NEVER"},
		{"AAIF-5-16", `{"lang":"cel","expr":"true"}`, condition.Filter, "CONDITION_ALWAYS"},
		{"AAIF-5-16", `{"lang":"jsonlogic","expr":false}`, condition.Filter, "CONDITION_NEVER"},
		{"AAIF-5-16", `{"lang":"jsonlogic","expr":{"==":[1,1]}}`, condition.Filter, "CONDITION_ALWAYS"},
		{"AAIF-5-16", `{"lang":"jmespath","expr":"'text'"}`, condition.Filter, "CONDITION_ALWAYS"},
		{"AAIF-5-16", "{\"lang\":\"jmespath\",\"expr\":\"`1` == `2`\"}", condition.Filter, "CONDITION_NEVER"},
		{"AAIF-5-16", `{"lang":"cel","expr":"1 / 0 == 1"}`, condition.Approval, "CONDITION_ERROR"},
		{"AAIF-5-16", `{"lang":"cel","expr":"1 / 0 == 1"}`, condition.Filter, "CONDITION_ERROR"},
		{"AAIF-5-20", `{"lang":"cel","expr":"[0,1,2,3,4,5,6,7,8,9].all(a,[0,1,2,3,4,5,6,7,8,9].all(b,[0,1,2,3,4,5,6,7,8,9].all(c,[0,1,2,3,4,5,6,7,8,9].all(d,[0,1,2,3,4,5,6,7,8,9].all(e,[0,1,2,3,4,5,6,7,8,9].all(f,true))))))"}`, condition.Approval, "CONDITION_LIMIT"},
		{"AAIF-5-10", `{"lang":"never"}`, condition.Filter, ""},
		{"AAIF-5-12", `"in words"`, condition.Filter, ""},
	} {
		t.Run(c.id+" "+c.condition+" at "+string(c.site), func(t *testing.T) {
			cond, err := condition.NewCompiler(condition.Options{}).Compile(value(t, c.condition), "/x")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, p := range cond.Lint(c.site, "/x") {
				got += string(condition.CodeOf(p))
				if !p.Warning || p.Path != "/x/expr" || p.Rule != c.id {
					t.Errorf("got %s, warning %t", p, p.Warning)
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestLintIsRight: what lint says of expressions about lists holds on payloads.
func TestLintIsRight(t *testing.T) {
	for _, expr := range []string{"$[0]", "$[1:2].a", "$[-1]"} {
		c := compiled(t, condition.JSONPath, expr)
		for _, text := range []string{`{}`, `{"0":1}`, `{"l":[{"a":1},{"a":2}]}`} {
			t.Run(fmt.Sprintf("AAIF-5-6 %s on %s", expr, text), func(t *testing.T) {
				if yes, err := c.Eval(payload(t, text)); yes || err != nil {
					t.Errorf("got %v, %v", yes, err)
				}
			})
		}
	}
}

func TestUnknownNames(t *testing.T) {
	lint := func(t *testing.T, expr string) string {
		t.Helper()
		c, err := condition.NewCompiler(condition.Options{}).Compile(value(t, `{"lang":"jmespath","expr":"`+expr+`"}`), "/x")
		if err != nil {
			t.Fatal(err)
		}
		found := c.Lint(condition.Handoff, "/x")
		if len(found) != 1 {
			t.Fatalf("got %v", found)
		}
		return found[0].Err.Error()
	}
	t.Run("AAIF-5-21 the names that there are", func(t *testing.T) {
		const want = "jmespath: the payload of condition has no itent; it has input, output, message, intent, variables"
		if got := lint(t, "itent == 'billing'"); got != want {
			t.Errorf("got %q", got)
		}
	})
	t.Run("AAIF-5-21 what is repeated is bounded", func(t *testing.T) {
		var names []string
		for i := range 30 {
			names = append(names, fmt.Sprintf("%s%d", strings.Repeat("n", 100), i))
		}
		if got := lint(t, strings.Join(names, " || ")); len(got) > 400 {
			t.Errorf("says %d bytes", len(got))
		}
	})
}

// TestFailingGate: what is said of an approval whose trigger fails never leads to a gate
// that stands open.
func TestFailingGate(t *testing.T) {
	c, err := condition.NewCompiler(condition.Options{}).Compile(value(t, `{"lang":"cel","expr":"1 / 0 == 1"}`), "/x")
	if err != nil {
		t.Fatal(err)
	}
	found := c.Lint(condition.Approval, "/x")
	if len(found) != 1 {
		t.Fatalf("got %v", found)
	}
	if text := found[0].Err.Error(); strings.Contains(text, "write never") || !strings.Contains(text, "every write waits for approval") {
		t.Errorf("AAIF-4.9-15: got %q", text)
	}
}
