package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
)

func TestConstants(t *testing.T) {
	compiler := condition.NewCompiler(condition.Options{})
	for lang, want := range map[string]bool{"always": true, "never": false} {
		for _, text := range []string{`{"lang":%q}`, `{"lang":%q,"expr":"$["}`, `{"lang":%q,"expr":false,"nl":"the opposite"}`} {
			text = fmt.Sprintf(text, lang)
			t.Run("AAIF-5-10 "+text, func(t *testing.T) {
				c, err := compiler.Compile(value(t, text), "/when")
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range []string{"{}", `{"a":[]}`} {
					if got, err := c.Eval(payload(t, p)); got != want || err != nil {
						t.Errorf("on %s: got %v, %v", p, got, err)
					}
				}
			})
		}
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ id, text, pointer, code string }{
		{"AAIF-5-4", `{"lang":"cel"}`, "/when/expr", "CONDITION_SHAPE"},
		{"AAIF-5-2", `{"lang":"cel","expr":"true","x":1}`, "/when/x", "CONDITION_SHAPE"},
		{"AAIF-5-2", `{}`, "/when/lang", "CONDITION_SHAPE"},
		{"AAIF-5-2", `7`, "/when", "CONDITION_SHAPE"},
		{"AAIF-5-2", `{"lang":"always","nl":1}`, "/when/nl", "CONDITION_SHAPE"},
		{"AAIF-5-3", `{"lang":"regex","expr":"a"}`, "/when/lang", "CONDITION_SHAPE"},
		{"AAIF-5-4", `{"lang":"jsonpath","expr":{}}`, "/when/expr", "EXPR_TYPE"},
		{"AAIF-5-4", `{"lang":"jsonlogic","expr":"x"}`, "/when/expr", "EXPR_TYPE"},
		{"AAIF-5-12", `""`, "", ""},
		{"AAIF-5-12", `"after review"`, "", ""},
		{"AAIF-5-2", `{"lang":"cel","expr":"true","nl":"yes"}`, "", ""},
		{"AAIF-5-19", `{"lang":"cel","expr":"a =="}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"cel","expr":"now() > 1"}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonpath","expr":"task"}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonpath","expr":"$[?now(@)]"}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jmespath","expr":"a["}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jmespath","expr":"l[?now(@)]"}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonlogic","expr":{"frob":[1]}}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonlogic","expr":{"log":1}}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonlogic","expr":{"in_sorted":[1,[1]]}}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonlogic","expr":{"==":[1,1],"!=":[1,1]}}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-19", `{"lang":"jsonlogic","expr":{}}`, "/when/expr", "CONDITION_PARSE"},
		{"AAIF-5-8", `{"lang":"cel","expr":"1 + 1"}`, "/when/expr", "CONDITION_TYPE"},
	} {
		t.Run(c.id+" "+c.text, func(t *testing.T) {
			_, err := condition.NewCompiler(condition.Options{}).Compile(value(t, c.text), "/when")
			if code := string(condition.CodeOf(err)); code != c.code {
				t.Fatalf("got %v (%s), want %s", err, code, c.code)
			}
			if err != nil && !strings.Contains(err.Error(), " at "+c.pointer+": ") {
				t.Errorf("got %v, want it at %s", err, c.pointer)
			}
			if err != nil && !strings.HasSuffix(err.Error(), "["+c.id+"]") {
				t.Errorf("got %v, want rule %s", err, c.id)
			}
		})
	}
}

// TestEmptyWords: a text of no words is none of a condition, which the schema lets be.
func TestEmptyWords(t *testing.T) {
	c, err := condition.NewCompiler(condition.Options{}).Compile(value(t, `""`), "/when")
	if err != nil {
		t.Fatal(err)
	}
	for site, want := range map[condition.Site]bool{condition.When: true, condition.Handoff: false, condition.Filter: true, condition.Approval: true} {
		if d := c.Decide(site, value(t, `{}`), condition.Policy{}); d.Satisfied != want || d.Reason != condition.ByAbsence {
			t.Errorf("AAIF-5-12 at %s: got %+v", site, d)
		}
	}
}

// TestFixedValues: always and never look at nothing, whatever the payload is.
func TestFixedValues(t *testing.T) {
	for lang, want := range map[string]bool{"always": true, "never": false} {
		c, err := condition.NewCompiler(condition.Options{}).Compile(value(t, fmt.Sprintf(`{"lang":%q}`, lang)), "/when")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"null", "{}", "[]", `"text"`, "1"} {
			for _, site := range []condition.Site{condition.When, condition.Approval} {
				if d := c.Decide(site, value(t, p), condition.Policy{}); d.Satisfied != want || d.Err != nil || d.Reason != condition.ByExpression {
					t.Errorf("AAIF-5-10 %s at %s on %s: got %+v", lang, site, p, d)
				}
			}
		}
	}
}

// TestRegisteredLanguage: a language that a registry has is read, and never decided.
func TestRegisteredLanguage(t *testing.T) {
	const text = `{"lang":"rego","expr":"input.x == 1"}`
	if _, err := condition.NewCompiler(condition.Options{}).Compile(value(t, text), "/when"); condition.CodeOf(err) != condition.Shape {
		t.Errorf("AAIF-5-3: got %v", err)
	}
	c, err := condition.NewCompiler(condition.Options{ExtraLanguages: []string{"cel", "rego"}}).Compile(value(t, text), "/when")
	if err != nil {
		t.Fatal(err)
	}
	for site, want := range map[condition.Site]bool{condition.When: false, condition.Approval: true} {
		if d := c.Decide(site, value(t, `{"x":1}`), condition.Policy{}); d.Satisfied != want || d.Reason != condition.ByLanguage || condition.CodeOf(d.Err) != condition.Unsupported {
			t.Errorf("AAIF-5-18 at %s: got %+v", site, d)
		}
	}
	if found := c.Lint(condition.When, "/when"); len(found) != 0 {
		t.Errorf("AAIF-10-4: got %v", found)
	}
}
