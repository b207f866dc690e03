package condition_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// FuzzCondition puts any condition to any payload: nothing panics, nothing fails
// and is true, and the same comes out twice.
func FuzzCondition(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"lang":"jsonpath","expr":"$.l[?count(@.*) > 1 && search(@.s, 'a|b')]"}`, `{"l":[{"s":"b","n":1}]}`},
		{`{"lang":"jmespath","expr":"l[?n > $.m].s | sort(@)[0] == 'b'"}`, `{"l":[{"s":"b","n":1}],"m":0}`},
		{`{"lang":"cel","expr":"l.exists(x, x.s.matches('b') && has(input.m))"}`, `{"l":[{"s":"b","n":1}],"m":0}`},
		{`{"lang":"jsonlogic","expr":{"some":[{"var":"l"},{"in":[{"var":"s"},"abc"]}]}}`, `{"l":[{"s":"b","n":1}]}`},
		{`"in words"`, `{}`},
	} {
		f.Add(seed[0], seed[1])
	}
	compiler := condition.NewCompiler(condition.Options{Limits: condition.Limits{Steps: 20_000}})
	f.Fuzz(func(t *testing.T, source, data string) {
		v, err := canon.Parse([]byte(source), canon.Options{})
		if err != nil {
			return
		}
		c, err := compiler.Compile(v, "")
		if err != nil {
			return
		}
		payload, err := canon.Parse([]byte(data), canon.Options{})
		if err != nil {
			return
		}
		first := c.Decide(condition.When, payload, condition.Policy{DenyHints: true})
		if first.Err != nil && first.Satisfied {
			t.Errorf("satisfied in spite of %v", first.Err)
		}
		if second := c.Decide(condition.When, payload, condition.Policy{DenyHints: true}); second.Satisfied != first.Satisfied || condition.CodeOf(second.Err) != condition.CodeOf(first.Err) {
			t.Errorf("got %+v, then %+v", first, second)
		}
		c.Lint(condition.When, "")
		c.Lint(condition.Approval, "")
	})
}
