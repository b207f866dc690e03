package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
)

// tried is a definition with conditions of all languages and at all places.
const tried = `{"agent":{"name":"N","goal":"G",
	"orchestration":{"subagents":[{"ref":"r","alias":"a","when":{"lang":"jsonpath","expr":"$.task.kind"}},{"ref":"s","when":{"lang":"jmespath","expr":"task.kind == 'sale' && length(task.lines) > ` + "`1`" + `"}},
		{"ref":"t"},{"ref":"u","when":{"lang":"never"}}],"handoff":[{"condition":"when it is late","target_agent":"a"},{"condition":{"lang":"cel","expr":"intent == 'buy'"},"target_agent":"a"}]},
	"events":{"triggers":[{"type":"event","filter":{"lang":"jsonlogic","expr":{"==":[{"var":"task.kind"},"sale"]}}}]},
	"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"tool.name == 'pay' && input.args.amount > 5.0","nl":"it is much"}}}}}`

func TestTry(t *testing.T) {
	const data = `{"task":{"kind":"sale","lines":[1]},"tool":{"name":"pay"},"args":{"amount":3}}`
	all, err := condition.NewCompiler(condition.Options{}).Try(aaif.ReadDefinition(value(t, tried)), value(t, data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		line := fmt.Sprintf("%s %s %v %s", c.Pointer[strings.LastIndex(c.Pointer[:strings.LastIndex(c.Pointer, "/")], "/")+1:], c.Source.Lang, c.Satisfied, c.Reason)
		if c.Err != nil {
			line += " " + string(condition.CodeOf(c.Err))
		}
		for _, l := range c.Looks {
			line += fmt.Sprintf(" %s=%s", l.Pointer, l.Value.Append(nil))
		}
		got = append(got, line)
	}
	want := []string{
		`0/when jsonpath true expression /task/kind="sale"`,
		`1/when jmespath false expression /task/kind="sale" /task/lines=[1]`,
		`3/when never false expression`,
		`0/condition  false hint`,
		`1/condition cel false error CONDITION_ERROR /intent=null`,
		`0/filter jsonlogic true expression /task/kind="sale"`,
		`human_in_the_loop/trigger cel false expression /tool/name="pay" /args/amount=3`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("AAIF-5-1 got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	t.Run("AAIF-5-19 AAIF-4.9-15 what is no condition is undecided, and asks people", func(t *testing.T) {
		for trigger, code := range map[string]condition.Code{`{"lang":"cel","expr":"1 +"}`: condition.Parse, `{"lang":"sql","expr":"x"}`: condition.Shape, `7`: condition.Shape} {
			d := aaif.ReadDefinition(value(t, `{"agent":{"compliance":{"human_in_the_loop":{"enabled":true,"trigger":`+trigger+`}}}}`))
			all, err := condition.NewCompiler(condition.Options{}).Try(d, value(t, data))
			if err != nil || len(all) != 1 || !all[0].Satisfied || all[0].Reason != condition.ByFailure || condition.CodeOf(all[0].Err) != code {
				t.Errorf("%s: got %+v %v", trigger, all, err)
			}
		}
	})
	t.Run("AAIF-5-20 conditions that are too long together are not tried", func(t *testing.T) {
		one := `{"condition":{"lang":"cel","expr":"` + strings.Repeat("x", 3000) + `"},"target_agent":"a"},`
		d := aaif.ReadDefinition(value(t, `{"agent":{"orchestration":{"handoff":[`+strings.TrimSuffix(strings.Repeat(one, 12), ",")+`]}}}`))
		if _, err := condition.NewCompiler(condition.Options{}).Try(d, value(t, data)); condition.CodeOf(err) != condition.TooLarge {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-5-20 what an expression looks at is bounded", func(t *testing.T) {
		var parts []string
		for i := range 300 {
			parts = append(parts, fmt.Sprintf("a%d", i))
		}
		d := aaif.ReadDefinition(value(t, `{"agent":{"orchestration":{"handoff":[{"condition":{"lang":"jmespath","expr":"`+strings.Join(parts, " || ")+`"},"target_agent":"a"}]}}}`))
		all, err := condition.NewCompiler(condition.Options{}).Try(d, value(t, `{}`))
		if err != nil || len(all[0].Looks) != 32 || all[0].More != 268 {
			t.Errorf("got %d and %d more: %v", len(all[0].Looks), all[0].More, err)
		}
	})
}
