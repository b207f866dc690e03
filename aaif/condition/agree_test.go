package condition_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/diegoholiveira/jsonlogic/v3"
	"github.com/jmespath-community/go-jmespath/pkg/api"
	"github.com/jmespath-community/go-jmespath/pkg/util"
	"github.com/theory/jsonpath"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// native parses JSON as the libraries take it.
func native(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

// drawnPayload draws a payload of the names that the drawn queries ask for.
func drawnPayload(rt *rapid.T) string {
	var draw func(depth int) string
	draw = func(depth int) string {
		kind := rapid.IntRange(0, 6).Draw(rt, "kind")
		if depth == 0 {
			kind %= 5
		}
		switch kind {
		case 0:
			return "null"
		case 1:
			return fmt.Sprint(rapid.Bool().Draw(rt, "bool"))
		case 2, 3:
			return fmt.Sprint(rapid.IntRange(0, 3).Draw(rt, "number"))
		case 4:
			return rapid.SampledFrom([]string{`""`, `"a"`, `"ab"`, `"1"`}).Draw(rt, "text")
		case 5:
			return "[" + strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return draw(depth - 1) }), 0, 3).Draw(rt, "list"), ",") + "]"
		}
		return fmt.Sprintf(`{"a":%s,"b":%s}`, draw(depth-1), draw(depth-1))
	}
	return fmt.Sprintf(`{"a":%s,"b":%s,"l":[%s,%s]}`, draw(3), draw(3), draw(3), draw(2))
}

// drawn puts parts together, replacing each # by one drawn in its turn.
func drawn(rt *rapid.T, parts []string, leaf string) string {
	text := "#"
	for range 6 {
		if i := strings.Index(text, "#"); i >= 0 {
			text = text[:i] + rapid.SampledFrom(parts).Draw(rt, "part") + text[i+1:]
		}
	}
	return strings.ReplaceAll(text, "#", leaf)
}

// agree compares a drawn expression with its library alone.
func agree(t *testing.T, lang condition.Language, parts []string, leaf string, alone func(expr, payload string) (bool, error)) {
	compiler := condition.NewCompiler(condition.Options{})
	both, yeses := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		expr, text := drawn(rt, parts, leaf), drawnPayload(rt)
		want, failed := alone(expr, text)
		c, err := compiler.Compile(written(t, lang, expr), "")
		if err != nil {
			if failed == nil {
				rt.Fatalf("%s is refused: %v", expr, err)
			}
			return
		}
		v, err := canon.Parse([]byte(text), canon.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		p, err := condition.NewPayload(v, condition.Limits{})
		if err != nil {
			rt.Fatal(err)
		}
		if lang == condition.JSONPath && failed != nil { // the library panics on search(nothing, …)
			return
		}
		got, err := c.Eval(p)
		if (err != nil) != (failed != nil) || got != (want && failed == nil) {
			rt.Fatalf("%s on %s: got %v, %v; the library says %v, %v", expr, text, got, err, want, failed)
		}
		both++
		if got {
			yeses++
		}
	})
	if yeses == 0 || yeses == both {
		t.Errorf("%d of %d satisfied: the expressions decide nothing", yeses, both)
	}
}

// attempt turns a panic into an error.
func attempt(run func() (bool, error)) (yes bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return run()
}

func TestAgreesWithLibraries(t *testing.T) {
	t.Run("AAIF-5-6 jsonpath", func(t *testing.T) {
		parts := []string{"$.l[?#]", "$..[?#]", "$[?#]", "@.a", "@.a == @.b", "@.a == 1", "count(@.*) > 1", "!(#)", "(#) && (#)", "(#) || (#)", "!@.b",
			"$.l[?#]", "length(@.a) >= 2", "search(@.b, 'a')", "value(@..a) == $.a", "@..b", "@[0,1]", "@[?#]", "@[-1:]"}
		alone := func(expr, text string) (bool, error) {
			p, err := jsonpath.Parse(expr)
			if err != nil {
				return false, err
			}
			return attempt(func() (bool, error) { return len(p.Select(native(text))) > 0, nil })
		}
		agree(t, condition.JSONPath, parts, "@.a", alone)
	})
	t.Run("AAIF-5-7 jmespath", func(t *testing.T) {
		parts := []string{"a", "l", "#.a", "l[?#]", "l[*].#", "(#)[]", "# | #", "# || #", "# && #", "!(#)", "(#) == (#)", "a.b[1:]", "[#, #]", "{a: #, b: #}",
			"length(l)", "map(&#, l)", "to_string(#)", "not_null(#, #)", "type(#) == 'array'", "(#)[0]", "l[::-1].#", "reverse(l)", "let $x = # in [$x, #]", "$.#"}
		alone := func(expr, text string) (bool, error) {
			return attempt(func() (bool, error) {
				found, err := api.Search(expr, native(text))
				return !util.IsFalse(found), err
			})
		}
		agree(t, condition.JMESPath, parts, "a", alone)
	})
	t.Run("AAIF-5-9 jsonlogic where the library is right", func(t *testing.T) {
		parts := []string{`{"==":[~,~]}`, `{"!=":[~,~]}`, `{"===":[~,1]}`, `{"!":[#]}`, `{"if":[#,#,#]}`, `{"and":[#,#]}`, `{"or":[#,#]}`, `{"in":[{"var":"a"},["a","ab"]]}`,
			`{"==":[{"var":"b"},"a"]}`, `{"!==":[~,"1"]}`}
		alone := func(expr, text string) (bool, error) {
			return attempt(func() (bool, error) {
				var found strings.Builder
				err := jsonlogic.Apply(strings.NewReader(expr), strings.NewReader(text), &found)
				return found.String() == "true\n", err
			})
		}
		compiler := condition.NewCompiler(condition.Options{})
		const data = `{"a":"1","b":"a","n":2}`
		p := payload(t, data)
		rapid.Check(t, func(rt *rapid.T) {
			expr := drawn(rt, parts, "true")
			for strings.Contains(expr, "~") {
				leaf := rapid.SampledFrom([]string{"1", "2", `"1"`, `{"var":"a"}`, `{"var":"n"}`}).Draw(rt, "leaf")
				expr = strings.Replace(expr, "~", leaf, 1)
			}
			want, failed := alone(expr, data)
			if failed != nil {
				return
			}
			c, err := compiler.Compile(written(t, condition.JSONLogic, expr), "")
			if err != nil {
				rt.Fatal(err)
			}
			if got, err := c.Eval(p); got != want || err != nil {
				rt.Fatalf("%s: got %v, %v; the library says %v", expr, got, err, want)
			}
		})
	})
}
