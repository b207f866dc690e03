package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// onlyCEL switches every language off but CEL.
func onlyCEL() condition.Options {
	return condition.Options{Languages: []condition.Language{condition.CEL}}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		id, condition string
		site          condition.Site
		payload       string
		want          string // satisfied, reason, event
	}{
		{"AAIF-4.3-16", ``, condition.When, `{}`, "true absent "},
		{"AAIF-4.9-14", ``, condition.Approval, `{}`, "true absent "},
		{"AAIF-5-1", ``, condition.Filter, `{}`, "true absent "},
		{"AAIF-5-1", ``, condition.Handoff, `{}`, "false absent "},
		{"AAIF-5-1", `{"lang":"cel","expr":"input.n > 1"}`, condition.When, `{"input":{"n":2}}`, "true expression "},
		{"AAIF-5-1", `{"lang":"cel","expr":"input.n > 1"}`, condition.Handoff, `{"input":{"n":2}}`, "true expression "},
		{"AAIF-5-1", `{"lang":"cel","expr":"n > 1"}`, condition.Filter, `{"n":2}`, "true expression "},
		{"AAIF-5-1", `{"lang":"cel","expr":"n > 1"}`, condition.Filter, `{"n":1}`, "false expression "},
		{"AAIF-4.9-14", `{"lang":"cel","expr":"args.amount > 100"}`, condition.Approval, `{"args":{"amount":50}}`, "false expression "},
		{"AAIF-4.9-14", `{"lang":"cel","expr":"args.amount > 100"}`, condition.Approval, `{"args":{"amount":150}}`, "true expression "},
		{"AAIF-4.9-15", `{"lang":"cel","expr":"args.amount > 100"}`, condition.Approval, `{"args":{}}`, "true error condition.error"},
		{"AAIF-4.9-15", `"before_write"`, condition.Approval, `{}`, "true hint portability.string_condition"},
		{"AAIF-4.9-15", `{"lang":"jmespath","expr":"args.x"}`, condition.Approval, `{"args":{}}`, "true unsupported condition.error"},
		{"AAIF-4.9-15", `{"lang":"cel","expr":"true"}`, condition.Approval, `[]`, "true error condition.error"},
		{"AAIF-5-14", `"after review"`, condition.When, `{}`, "true hint portability.string_condition"},
		{"AAIF-5-15", `"after review"`, condition.Filter, `{}`, "true hint portability.string_condition"},
		{"AAIF-5-15", `"after review"`, condition.Handoff, `{}`, "false hint portability.string_condition"},
		{"AAIF-5-18", `{"lang":"jmespath","expr":"n"}`, condition.When, `{"n":1}`, "false unsupported condition.error"},
		{"AAIF-5-18", `{"lang":"always"}`, condition.When, `{"n":1}`, "true expression "},
		{"AAIF-5-19", `{"lang":"cel","expr":"confidence < 0.8"}`, condition.When, `{}`, "false error condition.error"},
	} {
		t.Run(c.id+" "+c.condition+" at "+string(c.site)+" on "+c.payload, func(t *testing.T) {
			var v canon.Value
			if c.condition != "" {
				v = value(t, c.condition)
			}
			cond, err := condition.NewCompiler(onlyCEL()).Compile(v, "/x")
			if err != nil {
				t.Fatal(err)
			}
			d := cond.Decide(c.site, value(t, c.payload), condition.Policy{})
			if got := fmt.Sprintf("%t %s %s", d.Satisfied, d.Reason, d.Event()); got != c.want {
				t.Errorf("got %s (%v), want %s", got, d.Err, c.want)
			}
			if failed := d.Reason == condition.ByFailure || d.Reason == condition.ByLanguage; failed != (d.Err != nil) {
				t.Errorf("%s with error %v", d.Reason, d.Err)
			}
		})
	}
	t.Run("AAIF-5-15 denied hints", func(t *testing.T) {
		c, err := condition.NewCompiler(condition.Options{}).Compile(canon.String("after review"), "")
		if err != nil {
			t.Fatal(err)
		}
		for site, want := range map[condition.Site]bool{condition.When: false, condition.Filter: false, condition.Handoff: false, condition.Approval: true} {
			if d := c.Decide(site, value(t, "{}"), condition.Policy{DenyHints: true}); d.Satisfied != want {
				t.Errorf("%s: got %v", site, d.Satisfied)
			}
		}
	})
	t.Run("AAIF-5-11 nl decides nothing and is reported", func(t *testing.T) {
		c, err := condition.NewCompiler(condition.Options{}).Compile(value(t, `{"lang":"cel","expr":"false","nl":"always do this"}`), "")
		if err != nil {
			t.Fatal(err)
		}
		if d := c.Decide(condition.When, value(t, "{}"), condition.Policy{}); d.Satisfied || d.NL != "always do this" {
			t.Errorf("got %+v", d)
		}
	})
}

func TestCapability(t *testing.T) {
	compiler := condition.NewCompiler(onlyCEL())
	for text, want := range map[string]string{
		`{"lang":"cel","expr":"true"}`:   "condition.cel true",
		`{"lang":"jmespath","expr":"["}`: "condition.jmespath false",
		`{"lang":"never"}`:               " true",
		`"in words"`:                     " false",
	} {
		t.Run("AAIF-U.V-2 "+text, func(t *testing.T) {
			c, err := compiler.Compile(value(t, text), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s %t", c.Capability(), c.Supported()); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	t.Run("AAIF-U.V-1 all six", func(t *testing.T) {
		if got := fmt.Sprint(condition.Languages()); got != "[jsonpath jmespath cel jsonlogic always never]" {
			t.Error(got)
		}
	})
}

// TestPayloads: what each site puts a condition to, and that upstream's
// expressions come out as they are meant on it.
func TestPayloads(t *testing.T) {
	object := value(t, `{"a":1}`)
	for _, c := range []struct {
		payload canon.Value
		site    condition.Site
		want    string
		lang    condition.Language
		expr    string
	}{
		{condition.ForWhen{Input: canon.String("x"), Task: object, Outputs: object, Variables: object}.Value(), condition.When,
			`{"input":"x","outputs":{"a":1},"task":{"a":1},"variables":{"a":1}}`, condition.JSONPath, "$.task.a"},
		{condition.ForHandoff{Input: object, Output: object, Message: canon.String("m"), Intent: canon.String("billing"), Variables: object}.Value(), condition.Handoff,
			`{"input":{"a":1},"intent":"billing","message":"m","output":{"a":1},"variables":{"a":1}}`, condition.CEL, "intent == 'billing'"},
		{condition.ForApproval{Tool: "pay", Protocol: "http", Args: object, Confidence: canon.Number(0.5)}.Value(), condition.Approval,
			`{"args":{"a":1},"confidence":0.5,"tool":{"name":"pay","protocol":"http"}}`, condition.CEL, "confidence < 0.8 && input.tool.name == 'pay'"},
		{condition.ForWhen{}.Value(), condition.When, `{}`, condition.CEL, "!has(input.task)"},
	} {
		t.Run("AAIF-5-21 "+string(c.site)+" "+c.expr, func(t *testing.T) {
			if got := string(c.payload.AppendCanonical(nil)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if d := compiled(t, c.lang, c.expr).Decide(c.site, c.payload, condition.Policy{}); !d.Satisfied {
				t.Errorf("got %+v", d)
			}
		})
	}
}

// TestDeterministic repeats expressions that depend on an order of members.
func TestDeterministic(t *testing.T) {
	p := payload(t, `{"o":{"e":5,"c":3,"a":1,"d":4,"b":2},"l":[{"n":2},{"n":1}]}`)
	for lang, exprs := range map[condition.Language][]string{
		condition.JMESPath:  {"o.* | [0] == `1`", "keys(o)[0] == 'a'", "values(o)[4] == `5`", "items(o)[1][0] == 'b'", "l[0].n == `2` && sort_by(l, &n)[0].n == `1`"},
		condition.CEL:       {"o.map(k, k)[0] == 'a'", "o.map(k, o[k]) == [1.0, 2.0, 3.0, 4.0, 5.0]", "input.map(k, k) == ['l', 'o']"},
		condition.JSONPath:  {"$.o[?@ == 3]"},
		condition.JSONLogic: {`{"var":"o.c"}`},
	} {
		for _, expr := range exprs {
			t.Run("AAIF-5-16 "+expr, func(t *testing.T) {
				c := compiled(t, lang, expr)
				for range 1000 {
					if yes, err := c.Eval(p); !yes || err != nil {
						t.Fatalf("got %v, %v", yes, err)
					}
				}
			})
		}
	}
	for lang, expr := range map[condition.Language]string{
		condition.CEL:       "timestamp('2026-01-01T00:00:00Z').getHours('Europe/Vienna') == 1",
		condition.JSONPath:  "$[?random(@) > 0]",
		condition.JMESPath:  "now()",
		condition.JSONLogic: `{"now":[]}`,
	} {
		t.Run("AAIF-5-16 no "+expr, func(t *testing.T) {
			_, err := condition.NewCompiler(condition.Options{}).Compile(written(t, lang, expr), "")
			if condition.CodeOf(err) != condition.Parse {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-5-16 getHours in UTC stays", func(t *testing.T) {
		if yes, err := compiled(t, condition.CEL, "timestamp('2026-01-01T03:00:00Z').getHours() == 3").Eval(p); !yes {
			t.Error(err)
		}
	})
}

// TestConcurrent decides one condition from many goroutines; the race detector
// looks on.
func TestConcurrent(t *testing.T) {
	p := payload(t, `{"l":[{"n":2},{"n":1}]}`)
	for lang, expr := range map[condition.Language]string{
		condition.JSONPath: "$.l[?count(@.*) == 1]", condition.JMESPath: "sort_by(l, &n)", condition.CEL: "l.exists(x, x.n == 1.0)", condition.JSONLogic: `{"var":"l"}`,
	} {
		c := compiled(t, lang, expr)
		results := make(chan bool)
		for range 8 {
			go func() {
				all := true
				for range 50 {
					yes, err := c.Eval(p)
					all = all && yes && err == nil
				}
				results <- all
			}()
		}
		for range 8 {
			if !<-results {
				t.Errorf("AAIF-5-16 %s: not satisfied everywhere", lang)
			}
		}
	}
}

// TestErrorsAreQuiet: no failure repeats what the payload says.
func TestErrorsAreQuiet(t *testing.T) {
	p := payload(t, `{"s":"SECRET-1","l":["SECRET-2"],"SECRET-3":1}`)
	for lang, expr := range map[condition.Language]string{condition.JMESPath: "abs(s)", condition.CEL: "timestamp(s) < timestamp(s)"} {
		t.Run("AAIF-5-19 "+expr, func(t *testing.T) {
			_, err := compiled(t, lang, expr).Eval(p)
			if err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("got %v", err)
			}
		})
	}
}
