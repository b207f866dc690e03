package condition_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// large is a payload near the limits: lists of objects, a long string, nested
// lists, two equal trees.
func large(t testing.TB) condition.Payload {
	t.Helper()
	items := strings.TrimSuffix(strings.Repeat(`{"n":1,"s":"a"},`, 1500), ",")
	tree := strings.TrimSuffix(strings.Repeat(`[1,[2]],`, 500), ",")
	text := fmt.Sprintf(`{"l":[%s],"s":%q,"r":%[2]q,"d":%[3]s1%[4]s,"x":[%[5]s],"y":[%[5]s]}`, items, strings.Repeat("a", 100_000),
		strings.Repeat("[", 60), strings.Repeat("]", 60), tree)
	return payload(t, text)
}

// repeated nests or chains a text.
func repeated(before, middle, after string, n int) string {
	return strings.Repeat(before, n) + middle + strings.Repeat(after, n)
}

// TestHostile puts expressions to a large payload that would take gigabytes or
// hours. Each has to be stopped, and without much memory.
func TestHostile(t *testing.T) {
	big := large(t)
	for name, c := range map[string]struct {
		lang condition.Language
		expr string
	}{
		"jsonpath doubled selectors":  {condition.JSONPath, "$.d" + strings.Repeat("[0,0]", 55)},
		"jsonpath descendants":        {condition.JSONPath, "$" + strings.Repeat("..*", 20)},
		"jsonpath nested filters":     {condition.JSONPath, repeated("$.l[?", "@.n==2", "]", 5)},
		"jsonpath filters of filters": {condition.JSONPath, "$..[?$..[?$..[?@.zz]]]"},
		"jsonpath negated":            {condition.JSONPath, "$..[?!$..[?!$..[?(!($..zz))]]]"},
		"jsonpath counted":            {condition.JSONPath, "$.l[?count($..*) > 1000000]"},
		"jsonpath compared":           {condition.JSONPath, "$.l[?$.x == $.y && @.zz]"},
		"jsonpath value compared":     {condition.JSONPath, "$.l[?value($.x[0,0]) == $.y && @.zz]"},
		"jsonpath long regex":         {condition.JSONPath, `$.l[?search($.s, '(a?a?a?a?a?a?a?a?a?a?a?a?){40}b')]`},
		"jsonpath repeated regex":     {condition.JSONPath, `$.l[?match(@.s, 'a{1000}b{1000}c{1000}')]`},
		"jsonpath length":             {condition.JSONPath, "$..[?length($.s) == 3]"},
		"jmespath doubled":            {condition.JMESPath, "l" + strings.Repeat(" | [@,@][]", 60)},
		"jmespath product":            {condition.JMESPath, "l[*].[$.l][][].[$.l][][]"},
		"jmespath shared tree":        {condition.JMESPath, "@" + strings.Repeat(" | [@,@]", 60) + " | to_string(@)"},
		"jmespath compared tree":      {condition.JMESPath, "[@,@]" + strings.Repeat(" | [@,@]", 60) + " | @[0] == @[1]"},
		"jmespath padding":            {condition.JMESPath, "pad_left('x', `1000000000`)"},
		"jmespath padding, endless":   {condition.JMESPath, "pad_right('x', `1e300`)"},
		"jmespath replacing":          {condition.JMESPath, "replace(s, 'a', s)"},
		"jmespath replacing nothing":  {condition.JMESPath, "replace(s, '', s)"},
		"jmespath joined":             {condition.JMESPath, "join(s, l[*].s)"},
		"jmespath mapped":             {condition.JMESPath, "map(&map(&map(&n, $.l), $.l), l)"},
		"jmespath sorted":             {condition.JMESPath, "map(&sort_by($.l, &n), l)"},
		"jmespath filtered":           {condition.JMESPath, "l[?$.l[?$.l[?n == `2`]]]"},
		"jmespath values":             {condition.JMESPath, "map(&$.*, l)[] | map(&$.*, @)[] | map(&$.*, @)[]"},
		"jmespath swallowed":          {condition.JMESPath, "(l[*].[$.l][][].[$.l][][])[] || `true`"},
		"cel comprehensions":          {condition.CEL, "l.all(a, l.all(b, l.all(c, c.n == 1.0)))"},
		"cel mapped":                  {condition.CEL, "size(l.map(a, l.map(b, l))) > 0"},
		"cel doubled":                 {condition.CEL, repeated("[", "l", "].map(a, a+a)[0]", 12) + ".all(x, x.n == 1.0)"},
		"cel regex":                   {condition.CEL, `l.exists(a, s.matches('(a?){200}b'))`},
		"cel strings":                 {condition.CEL, `l.exists(a, l.exists(b, s.contains('b')))`},
		"cel joined strings":          {condition.CEL, `l.exists(a, size(s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s+s) == 0)`},
		"cel compared":                {condition.CEL, `l.exists(a, l.exists(b, x != y))`},
		"jsonlogic products":          {condition.JSONLogic, repeated(`{"map":[[1,2,3,4,5,6,7,8,9],`, "1", "]}", 10)},
		"jsonlogic doubled text":      {condition.JSONLogic, `{"reduce":[{"var":"l"},{"cat":[{"var":"accumulator"},{"var":"accumulator"}]},"aa"]}`},
		"jsonlogic doubled list":      {condition.JSONLogic, `{"reduce":[{"var":"l"},{"merge":[{"var":"accumulator"},{"var":"accumulator"}]},[1]]}`},
		"jsonlogic shared tree":       {condition.JSONLogic, `{"cat":[{"reduce":[{"var":"l"},[{"var":"accumulator"},{"var":"accumulator"}],1]}]}`},
		"jsonlogic searched":          {condition.JSONLogic, `{"some":[{"var":"x"},` + repeated(`{"some":[[1,2,3,4,5,6,7,8,9],`, `{"==":[{"var":""},"z"]}`, "]}", 6) + "]}"},
		"jsonpath many tests":         {condition.JSONPath, "$.l[?$.l[?" + strings.Repeat("@.n==2||", 400) + "@.n==2]]"},
		"jsonpath long texts":         {condition.JSONPath, "$.l[?$.l[?$.s == $.r && @.zz]]"},
		"jmespath wide mapping":       {condition.JMESPath, "map(&(" + strings.Repeat("n && ", 600) + "n), l) && `false`"},
		"jmespath wide projection":    {condition.JMESPath, "l[*].[" + strings.Repeat("n,", 600) + "n] && `false`"},
		"cel compared trees":          {condition.CEL, "l.exists(a, x != y)"},
		"jmespath sliced":             {condition.JMESPath, "map(&$.s[::-1], l) && `false`"},
		"jmespath trimmed":            {condition.JMESPath, "trim(s, r)"},
		"cel sorted again and again":  {condition.CEL, "l.all(a, l.all(b, input.exists(k, true)))"},
		"jsonlogic long texts":        {condition.JSONLogic, `{"reduce":[{"var":"l"},{"if":[{"===":[{"var":"accumulator.0"},{"var":"accumulator.1"}]},{"var":"accumulator"},0]},[{"var":"s"},{"var":"r"}]]}`},
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			compiler := condition.NewCompiler(condition.Options{Limits: condition.Limits{Steps: 200_000}})
			cond, err := compiler.Compile(written(t, c.lang, c.expr), "")
			if err != nil {
				t.Fatal(err)
			}
			stopped(t, cond, big)
		})
	}
}

func stopped(t *testing.T, c *condition.Condition, p condition.Payload) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	yes, err := c.Eval(p)
	runtime.ReadMemStats(&after)
	if yes || condition.CodeOf(err) != condition.Limit {
		t.Errorf("got %v, %v; want it stopped", yes, err)
	}
	if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 64 {
		t.Errorf("%d MiB allocated", mib)
	}
}

func TestExpressionLimits(t *testing.T) {
	long := strings.Repeat("a", 5000)
	for name, c := range map[string]struct {
		lang condition.Language
		expr string
		want condition.Code
	}{
		"long jsonpath":        {condition.JSONPath, "$." + long, condition.Limit},
		"long jmespath":        {condition.JMESPath, long, condition.Limit},
		"long cel":             {condition.CEL, long, condition.Limit},
		"1 MB of jsonlogic":    {condition.JSONLogic, `{"==":["` + strings.Repeat("a", 1<<20) + `","a"]}`, condition.Limit},
		"deep jsonpath":        {condition.JSONPath, repeated("$[?", "@", "]", 40), condition.Limit},
		"deep jsonpath parens": {condition.JSONPath, "$[?" + repeated("(", "@", ")", 1000) + "]", condition.Limit},
		"deep jmespath":        {condition.JMESPath, repeated("[", "a", "]", 1000), condition.Limit},
		"deep jmespath parens": {condition.JMESPath, repeated("(", "a", ")", 1000), condition.Limit},
		"deep cel":             {condition.CEL, repeated("(", "a", ")", 1000), condition.Limit},
		"deep cel lists":       {condition.CEL, repeated("[", "a", "]", 1000), condition.Limit},
		"deep cel not":         {condition.CEL, repeated("!(", "a", ")", 1000), condition.Limit},
		"deep jsonlogic":       {condition.JSONLogic, repeated(`{"!":`, "1", "}", 40), condition.Limit},
		"deep jsonlogic value": {condition.JSONLogic, `{"!":` + repeated("[", "", "]", 40) + "}", condition.Limit},
		"many variables":       {condition.JMESPath, "let " + strings.TrimSuffix(strings.Repeat("$a = a, ", 17), ", ") + " in $a", condition.Limit},
		"cel regex":            {condition.CEL, `s.matches('a{1000}b{1000}')`, condition.Limit},
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			_, err := condition.NewCompiler(condition.Options{}).Compile(written(t, c.lang, c.expr), "")
			if got := condition.CodeOf(err); got != c.want {
				t.Errorf("got %v (%s), want %s", err, got, c.want)
			}
		})
	}
}

func TestPayloadLimits(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want condition.Code
	}{
		"values":     {`{"l":[` + strings.TrimSuffix(strings.Repeat("1,", 20_001), ",") + `]}`, condition.Limit},
		"text":       {`{"s":"` + strings.Repeat("a", 256<<10+1) + `"}`, condition.Limit},
		"name":       {`{"` + strings.Repeat("a", 256<<10+1) + `":1}`, condition.Limit},
		"nesting":    {`{"d":` + repeated("[", "", "]", 64) + `}`, condition.Limit},
		"no object":  {`[]`, condition.Shape},
		"no object,": {`null`, condition.Shape},
		"just fits":  {`{"d":` + repeated("[", "", "]", 63) + `}`, ""},
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			_, err := condition.NewPayload(value(t, c.text), condition.Limits{})
			if got := condition.CodeOf(err); got != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	t.Run("AAIF-5-20 an undefined payload is refused", func(t *testing.T) {
		if _, err := condition.NewPayload(canon.Value{}, condition.Limits{}); condition.CodeOf(err) != condition.Shape {
			t.Errorf("got %v", err)
		}
	})
}

// TestPatternFromPayload: a payload brings the pattern.
func TestPatternFromPayload(t *testing.T) {
	p := payload(t, `{"p":"a{1000}b{1000}","q":"(","l":["x"],"s":"aaa"}`)
	for name, c := range map[string]struct {
		lang condition.Language
		expr string
		want condition.Code
	}{
		"jsonpath too large": {condition.JSONPath, "$.l[?search(@, $.p)]", condition.Limit},
		"jsonpath broken":    {condition.JSONPath, "$.l[?search(@, $.q)]", ""},
		"cel too large":      {condition.CEL, "s.matches(p)", condition.Limit},
		"cel broken":         {condition.CEL, "s.matches(q)", condition.Failed},
	} {
		t.Run("AAIF-5-20 "+name, func(t *testing.T) {
			yes, err := compiled(t, c.lang, c.expr).Eval(p)
			if got := condition.CodeOf(err); yes || got != c.want {
				t.Errorf("got %v, %v; want %q", yes, err, c.want)
			}
		})
	}
}
