package condition_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/internal/racing"
)

// within fails where work takes longer than anything that is bounded may.
func within(t *testing.T, most time.Duration, work func()) {
	t.Helper()
	start := racing.Work(t)
	work()
	if took := racing.Work(t) - start; took > most && !racing.Detector {
		t.Errorf("took %v of the processor, %v are allowed", took, most)
	}
}

// chained returns list.macro.macro….
func chained(list, macro string, n int) string {
	return list + strings.Repeat(macro, n)
}

// TestHostileTypes reads expressions whose types double with every step, when
// they are worked out.
func TestHostileTypes(t *testing.T) {
	var nested, vars strings.Builder
	for i := range 20 {
		fmt.Fprintf(&nested, "[].all(v%d, ", i)
	}
	for i := range 19 {
		fmt.Fprintf(&vars, "v%d == {v%d:v%d} && ", i, i+1, i+1)
	}
	for name, expr := range map[string]string{
		"maps of maps":          chained("[0]", ".map(a,{a:a})", 28) + " == []",
		"maps of members":       chained("[x]", ".map(a,{a:a})", 28) + " == []",
		"maps of nothing":       chained("[]", ".map(a,{a:a})", 28) + " == []",
		"maps in a ternary":     chained("[0]", ".map(a,true?{a:a}:{a:a})", 28) + " == []",
		"lists of maps":         chained("[0]", ".map(a,[{a:[a]}])", 28) + " == []",
		"filtered maps":         chained("[0]", ".filter(a,true).map(a,{a:a})", 14) + " == []",
		"maps in the body":      "[0].all(a," + repeated("[{a:a}].all(a,", "a == a", ")", 20) + ")",
		"unknowns tied by ==":   nested.String() + vars.String() + "true" + strings.Repeat(")", 20),
		"types of types":        repeated("type(", "{1:1}", ")", 28) + " == type",
		"maps behind an index":  chained("[0]", ".map(a,{a:a})", 14) + "[0] == " + chained("[0]", ".map(a,{a:a})", 14) + "[0]",
		"a sum of many members": strings.TrimSuffix(strings.Repeat("a+", 2000), "+") + " == 1",
		"a list of many":        "[" + strings.TrimSuffix(strings.Repeat("a,", 2000), ",") + "] == []",
		"many members":          many(700) + " == 1",
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			within(t, 50*time.Millisecond, func() {
				_, err := condition.NewCompiler(condition.Options{}).Compile(written(t, condition.CEL, expr), "")
				if code := condition.CodeOf(err); err != nil && code != condition.Limit && code != condition.Parse {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func many(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("m%d", i))
	}
	return strings.Join(names, "+")
}

// TestHostileQueries reads queries that are one long chain.
func TestHostileQueries(t *testing.T) {
	for name, expr := range map[string]string{
		"flattened": "a" + strings.Repeat("[]", 2000),
		"denied":    strings.Repeat("!", 4000) + "a",
		"piped":     strings.Repeat("a|", 2000) + "a",
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			within(t, 50*time.Millisecond, func() {
				if _, err := condition.NewCompiler(condition.Options{}).Compile(written(t, condition.JMESPath, expr), ""); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestHostileValues decides expressions that put the same value into others over
// and over, and then go through what has come of it.
func TestHostileValues(t *testing.T) {
	z := "[" + strings.TrimSuffix(strings.Repeat("0,", 100), ",") + "]"
	twice, eight := chained("[[0]]", ".map(a,[a,a])", 28), chained("[[0]]", ".map(a,[a,a,a,a,a,a,a,a])", 28)
	for name, expr := range map[string]string{
		"twice, compared":        twice + " == " + twice,
		"eightfold, compared":    eight + " == " + eight,
		"twice, looked for":      twice + " in [" + twice + "]",
		"in maps":                "{'a':" + twice + "} == {'a':" + twice + "}",
		"maps of maps":           chained("[0]", ".map(a,{'a':a,'b':a})", 28) + " == " + chained("[0]", ".map(a,{'a':a,'b':a})", 28),
		"long names of maps":     z + ".all(a," + z + ".all(b," + z + ".all(c,{'" + strings.Repeat("a", 2000) + "':a} != {'a':b})))",
		"joined lists":           chained("[[1]]", ".map(a,a+a)", 28) + ".all(x, x == x)",
		"joined lists, looked":   chained("[[1]]", ".map(a,a+a)", 28) + ".all(x, !(2 in x))",
		"joined one by one":      z + ".all(b,[[1]" + strings.Repeat("+[1]", 28) + "].all(a," + z + ".all(c," + z + ".all(d,a == a))))",
		"joined texts":           chained("['aaaaaaaaaaaaaaaa']", ".map(a,a+a)", 28) + ".all(x, x != '')",
		"a pattern made long":    z + ".all(a," + z + ".all(b,'" + strings.Repeat("a", 400) + "'.matches('(a?){150}b')==false))",
		"a pattern again":        z + ".all(a," + z + ".all(b," + z + ".all(d,'x'.matches('a{300}')==false)))",
		"a pattern put together": z + ".all(a," + z + ".all(b," + z + ".all(d,'x'.matches('a{30'+'0}')==false)))",
		"a pattern refused":      z + ".all(a," + z + ".all(b," + z + ".all(d,'x'.matches('" + strings.Repeat("a{1000}", 100) + "'+'b')||true)))",
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			cond, err := condition.NewCompiler(condition.Options{}).Compile(written(t, condition.CEL, expr), "")
			if err != nil {
				t.Fatal(err)
			}
			within(t, 500*time.Millisecond, func() {
				if yes, err := cond.Eval(condition.Payload{}); yes || condition.CodeOf(err) != condition.Limit {
					t.Errorf("got %v, %v; want it stopped", yes, err)
				}
			})
		})
	}
}

// TestHostileWhole asks for the payload as a whole over and over, where it has
// many members.
func TestHostileWhole(t *testing.T) {
	var members []string
	for i := range 15_000 {
		members = append(members, fmt.Sprintf(`"m%d":0`, i))
	}
	p := payload(t, "{"+strings.Join(members, ",")+"}")
	z := "[" + strings.TrimSuffix(strings.Repeat("0,", 100), ",") + "]"
	cond := compiled(t, condition.CEL, z+".all(a,"+z+".all(b,!has(input.x)))")
	t.Run("AAIF-5-20 input", func(t *testing.T) {
		within(t, 500*time.Millisecond, func() {
			if yes, err := cond.Eval(p); !yes || err != nil {
				t.Errorf("got %v, %v", yes, err)
			}
		})
	})
}
