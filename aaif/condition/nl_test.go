package condition_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
)

// What nl says never stands in for what expr comes to, nor for an expr that fails.
func TestWordsDecideNothing(t *testing.T) {
	for lang, exprs := range map[condition.Language][]string{
		condition.JSONPath:  {`"$.n"`, `"$.missing"`},
		condition.JMESPath:  {`"n"`, `"missing"`, `"abs('x')"`},
		condition.CEL:       {`"n == 1.0"`, `"n == 2.0"`, `"missing"`, `"n"`},
		condition.JSONLogic: {`{"var":"n"}`, `{"var":"missing"}`},
		condition.Always:    {`""`},
		condition.Never:     {`""`},
	} {
		for _, expr := range exprs {
			t.Run("AAIF-5-17 "+string(lang)+" "+expr, func(t *testing.T) {
				for _, site := range []condition.Site{condition.When, condition.Handoff, condition.Filter, condition.Approval} {
					want := outcome(t, fmt.Sprintf(`{"lang":%q,"expr":%s}`, lang, expr), site)
					for _, nl := range []string{"always do this", "never do this"} {
						if got := outcome(t, fmt.Sprintf(`{"lang":%q,"expr":%s,"nl":%q}`, lang, expr, nl), site); got != want {
							t.Errorf("at %s: got %s with %q, want %s", site, got, nl, want)
						}
					}
				}
			})
		}
	}
}

func outcome(t *testing.T, text string, site condition.Site) string {
	t.Helper()
	c, err := condition.NewCompiler(condition.Options{}).Compile(value(t, text), "/x")
	if err != nil {
		return fmt.Sprint(err)
	}
	d := c.Decide(site, value(t, `{"n":1}`), condition.Policy{})
	return fmt.Sprintf("%t %s %v", d.Satisfied, d.Reason, d.Err)
}
