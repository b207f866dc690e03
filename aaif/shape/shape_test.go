package shape_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/shape"
	"github.com/satchel-memory/satchel/canon"
)

func value(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{Depth: 9999})
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, schema string) *shape.Schema {
	t.Helper()
	s, err := shape.Compile(value(t, schema))
	if err != nil {
		t.Fatalf("%.200s: %v", schema, err)
	}
	return s
}

func TestCheck(t *testing.T) {
	const schema = `{"type":"object","required":["to","amount"],"additionalProperties":false,"properties":{
		"to":{"type":"string","pattern":"^[A-Z]","maxLength":5},"amount":{"type":"number","minimum":1},"kind":{"enum":["a","b",1]},
		"list":{"type":"array","items":{"type":"integer"},"uniqueItems":true},"one":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`
	for _, c := range []struct{ value, want string }{
		{`{"to":"Bob","amount":3}`, ""},
		{`{"to":"Bob","amount":3.5,"kind":1,"list":[1,2],"one":null}`, ""},
		{`[]`, "is of type array; wanted: object"},
		{`{}`, `lacks "to", "amount"`},
		{`{"to":"bob","amount":3}`, "/to: does not have the form ^[A-Z]"},
		{`{"to":"Robert","amount":3}`, "/to: is more than what maxLength allows"},
		{`{"to":"Bob","amount":"3"}`, "/amount: is of type string; wanted: number"},
		{`{"to":"Bob","amount":0}`, "/amount: is less than what minimum allows"},
		{`{"to":"Bob","amount":3,"kind":"secret"}`, `/kind: is none of the values that are allowed: "a", "b", 1`},
		{`{"to":"Bob","amount":3,"secret":1}`, "has 1 members that the schema does not know"},
		{`{"to":"Bob","amount":3,"list":[1,1]}`, "/list: is not as uniqueItems says"},
		{`{"to":"Bob","amount":3,"list":[1,2.5]}`, "/list/1: is of type number; wanted: integer"},
		{`{"to":"Bob","amount":3,"one":5}`, "/one: fits none, or more than one, of the alternatives of anyOf"},
		{`{"to":5,"amount":"x"}`, "/to: is of type number; wanted: string; /amount: is of type string; wanted: number"},
	} {
		t.Run("AAIF-4-18 "+c.value, func(t *testing.T) {
			if got := shape.Text(compile(t, schema).Check(value(t, c.value))); got != c.want && !sameParts(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	t.Run("AAIF-4-18 schemas that are true, false or empty", func(t *testing.T) {
		if compile(t, `true`).Check(value(t, `1`)) != nil || compile(t, `{}`).Check(value(t, `1`)) != nil || compile(t, `false`).Check(value(t, `1`)) == nil {
			t.Error("decided otherwise")
		}
	})
	t.Run("AAIF-4-18 older dialects", func(t *testing.T) {
		for _, uri := range []string{"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"} {
			s := compile(t, `{"$schema":"`+uri+`","type":"array","items":[{"type":"string"}],"minItems":1}`)
			if s.Check(value(t, `["a"]`)) != nil || s.Check(value(t, `[1]`)) == nil || s.Check(value(t, `[]`)) == nil {
				t.Error(uri)
			}
		}
	})
	t.Run("AAIF-4-18 references within a schema, to itself as well", func(t *testing.T) {
		s := compile(t, `{"$id":"https://example.com/tree","$defs":{"leaf":{"type":"integer"}},"properties":{"v":{"$ref":"#/$defs/leaf"},"next":{"$ref":"#"}}}`)
		if found := s.Check(value(t, `{"v":1,"next":{"v":2,"next":{"v":"x"}}}`)); len(found) != 1 || found[0].Pointer != "/next/next/v" {
			t.Errorf("got %v", found)
		}
	})
}

// sameParts reports whether two texts have the same parts in another order.
func sameParts(a, b string) bool {
	const between = "; /"
	if strings.Count(a, between) != strings.Count(b, between) {
		return false
	}
	for _, part := range strings.Split(a, between) {
		if !strings.Contains(b, part) {
			return false
		}
	}
	return true
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"a text", `"x"`, "an object"},
		{"an unknown type", `{"type":"objekt"}`, "/type"},
		{"another document", `{"$ref":"https://example.com/a.json"}`, "that document has to lie at run/copies/example.com/a.json in the folder of the store"},
		{"another document that has no place", `{"$ref":"https://example.com:8443/a.json?v=1"}`, "without port and query"},
		{"a file", `{"$ref":"file:///etc/passwd"}`, "its own parts"},
		{"a file beside it", `{"$ref":"other.json"}`, "its own parts"},
		{"a dialect from elsewhere", `{"$schema":"https://example.com/dialect"}`, "no dialect that is known"},
		{"a part that is not there", `{"$ref":"#/$defs/x"}`, "no usable"},
		{"a pattern that is not RE2", `{"pattern":"(?=x)"}`, "pattern"},
		{"a pattern that is long", `{"pattern":"` + strings.Repeat("x", 1025) + `"}`, "pattern"},
		{"much", `{"description":"` + strings.Repeat("x", 128<<10) + `"}`, "bytes"},
		{"deep", strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), "deeper"},
	} {
		t.Run("AAIF-4-18 "+c.name, func(t *testing.T) {
			if _, err := shape.Compile(value(t, c.schema)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// doubling returns a schema whose check takes 2^n steps: each part refers twice to the next.
func doubling(n int, word string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, word, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

// TestHostile: none of these takes long, and what cannot be decided does not fit.
func TestHostile(t *testing.T) {
	items := func(n int, item string) string { return "[" + strings.Repeat(item+",", n-1) + item + "]" }
	for _, c := range []struct{ name, schema, value string }{
		{"doubling by allOf", doubling(40, "allOf"), `"x"`},
		{"doubling by anyOf", doubling(40, "anyOf"), `1`},
		{"doubling by oneOf", doubling(40, "oneOf"), `"x"`},
		{"doubling with every level of the value", `{"allOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		{"a costly pattern", `{"items":{"pattern":"(?:a?){300}(?:a|aa){300}$"}}`, items(100, `"`+strings.Repeat("a", 2000)+`b"`)},
		{"many patterns", `{"patternProperties":{` + manyPatterns(500) + `}}`, `{` + manyMembers(20_000) + `}`},
		{"a reference to itself", `{"$ref":"#"}`, `1`},
		{"contains within contains", `{"contains":{"contains":{"contains":{"contains":{"const":1}}}}}`, items(12, items(12, items(12, items(12, items(12, "0")))))},
	} {
		t.Run("AAIF-4-18 "+c.name, func(t *testing.T) {
			start := time.Now()
			found := compile(t, c.schema).Check(value(t, c.value))
			if len(found) == 0 || len(found) > 20 {
				t.Errorf("%d mismatches", len(found))
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
	t.Run("AAIF-4-18 large values of plain schemas are decided", func(t *testing.T) {
		s := compile(t, `{"type":"array","uniqueItems":false,"items":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}}}`)
		if found := s.Check(value(t, items(50_000, `{"a":"some text of a row","b":1}`))); found != nil {
			t.Errorf("got %v", found)
		}
	})
	t.Run("AAIF-4-18 a value that is too large or too deep", func(t *testing.T) {
		if compile(t, `{}`).Check(canon.String(strings.Repeat("x", 5<<20))) == nil || compile(t, `{}`).Check(value(t, strings.Repeat("[", 300)+strings.Repeat("]", 300))) == nil {
			t.Error("fits")
		}
	})
	t.Run("AAIF-4-18 several at once", func(t *testing.T) {
		s := compile(t, `{"type":"array","items":{"type":"integer"}}`)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for range 50 {
					fits := s.Check(value(t, fmt.Sprintf(`[%d,1]`, i))) == nil
					if !fits || s.Check(value(t, `["x"]`)) == nil {
						t.Error("decided otherwise")
						return
					}
				}
			})
		}
		all.Wait()
	})
}

func manyPatterns(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"%d$":true`, i))
	}
	return strings.Join(list, ",")
}

func manyMembers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"a%d":1`, i))
	}
	return strings.Join(list, ",")
}
