package condition_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// value parses JSON.
func value(t testing.TB, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{Depth: 9000})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// written returns a condition in a language, its expression as JSON or, but for
// JsonLogic, as its text.
func written(t testing.TB, lang condition.Language, expr string) canon.Value {
	t.Helper()
	e := canon.String(expr)
	if lang == condition.JSONLogic {
		e = value(t, expr)
	}
	return canon.Object(canon.Member{Name: "lang", Value: canon.String(string(lang))}, canon.Member{Name: "expr", Value: e})
}

// compiled compiles a condition that has to be one.
func compiled(t testing.TB, lang condition.Language, expr string) *condition.Condition {
	t.Helper()
	c, err := condition.NewCompiler(condition.Options{}).Compile(written(t, lang, expr), "/when")
	if err != nil {
		t.Fatalf("%s %s: %v", lang, expr, err)
	}
	return c
}

func payload(t testing.TB, text string) condition.Payload {
	t.Helper()
	p, err := condition.NewPayload(value(t, text), condition.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decided is a row: an expression, a payload, and true, false or a code.
type decided struct{ id, expr, payload, want string }

func decide(t *testing.T, lang condition.Language, rows []decided) {
	compiler := condition.NewCompiler(condition.Options{})
	for _, r := range rows {
		t.Run(r.id+" "+r.expr+" on "+r.payload, func(t *testing.T) {
			c, err := compiler.Compile(written(t, lang, r.expr), "/when")
			if err != nil {
				t.Fatal(err)
			}
			yes, err := c.Eval(payload(t, r.payload))
			got := fmt.Sprint(yes)
			if err != nil {
				got = string(condition.CodeOf(err))
			}
			if got != r.want || err != nil && yes {
				t.Errorf("got %s (%v), want %s", got, err, r.want)
			}
		})
	}
}

func TestJSONPath(t *testing.T) {
	decide(t, condition.JSONPath, []decided{
		{"AAIF-5-5", `$.task.type`, `{"task":{"type":"invoice"}}`, "true"},
		{"AAIF-5-5", `$.task.type`, `{"task":{"type":null}}`, "true"},
		{"AAIF-5-5", `$.task.type`, `{"task":{}}`, "false"},
		{"AAIF-5-5", `$.task[?@ == 'code_review']`, `{"task":{"type":"code_review"}}`, "true"},
		{"AAIF-5-5", `$.task[?@ == 'code_review']`, `{"task":{"type":"invoice"}}`, "false"},
		{"AAIF-5-6", `$[?(@.dry_run == false)]`, `{"dry_run":false}`, "false"},
		{"AAIF-5-6", `$.l[?(@.dry_run == false)]`, `{"l":[{"dry_run":false}]}`, "true"},
		{"AAIF-5-6", `$.l[?count(@.*) > 2]`, `{"l":[[1,2],[1,2,3]]}`, "true"},
		{"AAIF-5-6", `$.l[?count(@.*) > 3]`, `{"l":[[1,2],[1,2,3]]}`, "false"},
		{"AAIF-5-6", `$.l[?length(@) == 2]`, `{"l":["né"]}`, "true"},
		{"AAIF-5-6", `$.l[?match(@, 'a.c')]`, `{"l":["abc"]}`, "true"},
		{"AAIF-5-6", `$.l[?match(@, 'a.')]`, `{"l":["abc"]}`, "false"},
		{"AAIF-5-6", `$.l[?search(@, 'b')]`, `{"l":["abc"]}`, "true"},
		{"AAIF-5-6", `$.l[?search(@.x, 'b')]`, `{"l":[{}]}`, "false"},
		{"AAIF-5-6", `$.l[?!search(@, 'b')]`, `{"l":["abc"]}`, "false"},
		{"AAIF-5-6", `$.l[?value(@..n) == 1]`, `{"l":[{"m":{"n":1}}]}`, "true"},
		{"AAIF-5-6", `$.l[?!(@.a) && (@.b || @.c)]`, `{"l":[{"b":1}]}`, "true"},
		{"AAIF-5-6", `$.l[?!@.a]`, `{"l":[{"a":1}]}`, "false"},
		{"AAIF-5-6", `$.l[?@.o == $.me]`, `{"l":[{"o":"x"}],"me":"x"}`, "true"},
		{"AAIF-5-6", `$..n`, `{"a":[{"b":{"n":0}}]}`, "true"},
		{"AAIF-5-6", `$.l[-1:]`, `{"l":[]}`, "false"},
		{"AAIF-5-6", `$.l[?@ == "a$b@c"]`, `{"l":["a$b@c"]}`, "true"},
	})
}

func TestJMESPath(t *testing.T) {
	decide(t, condition.JMESPath, []decided{
		{"AAIF-5-7", "n", `{"n":0}`, "true"},
		{"AAIF-5-7", "n", `{"n":""}`, "false"},
		{"AAIF-5-7", "n", `{"n":[]}`, "false"},
		{"AAIF-5-7", "n", `{"n":{}}`, "false"},
		{"AAIF-5-7", "n", `{"n":null}`, "false"},
		{"AAIF-5-7", "n", `{}`, "false"},
		{"AAIF-5-7", "task.type == 'invoice'", `{"task":{"type":"invoice"}}`, "true"},
		{"AAIF-5-7", "items[?price > `10`].name | [0]", `{"items":[{"price":11,"name":"a"}]}`, "true"},
		{"AAIF-5-7", "items[?price > `10`]", `{"items":[{"price":9}]}`, "false"},
		{"AAIF-5-7", "length(items[*].n) == `2`", `{"items":[{"n":1},{"m":1},{"n":2}]}`, "true"},
		{"AAIF-5-7", "a == b", `{"a":{"x":[1]},"b":{"x":[1]}}`, "true"},
		{"AAIF-5-7", "l[][] | length(@) == `3`", `{"l":[[[1],[2]],[[3]]]}`, "true"},
		{"AAIF-5-7", "s[1:3] == 'bc'", `{"s":"abcd"}`, "true"},
		{"AAIF-5-7", "s[::-1] | [0] == `3`", `{"s":[1,2,3]}`, "true"},
		{"AAIF-5-7", "map(&n, l) == `[1,2]`", `{"l":[{"n":1},{"n":2}]}`, "true"},
		{"AAIF-5-7", "o.* | [0] == `1`", `{"o":{"a":1,"b":2}}`, "true"},
		{"AAIF-5-7", "join('-', keys(o)) == 'a-b-c'", `{"o":{"c":1,"b":2,"a":3}}`, "true"},
		{"AAIF-5-7", "values(o) == `[3,2,1]`", `{"o":{"c":1,"b":2,"a":3}}`, "true"},
		{"AAIF-5-7", "items(o)[0][0] == 'a'", `{"o":{"c":1,"a":3}}`, "true"},
		{"AAIF-5-7", "{a: n, b: m}.a == `1`", `{"n":1,"m":2}`, "true"},
		{"AAIF-5-7", "let $x = n in l[?@ == $x]", `{"n":1,"l":[1]}`, "true"},
		{"AAIF-5-7", "n + m == `3`", `{"n":1,"m":2}`, "true"},
		{"AAIF-5-7", "pad_left(s, `5`, '0') == '00042'", `{"s":"42"}`, "true"},
		{"AAIF-5-19", "abs(s)", `{"s":"x"}`, "CONDITION_ERROR"},
		{"AAIF-5-19", "!abs(s)", `{"s":"x"}`, "CONDITION_ERROR"},
		{"AAIF-5-19", "contains(l, l[0])", `{"l":[{"a":1}]}`, "CONDITION_ERROR"},
		{"AAIF-5-19", "find_first(s, 'b', `9`)", `{"s":"abc"}`, "CONDITION_ERROR"},
	})
}

func TestCEL(t *testing.T) {
	decide(t, condition.CEL, []decided{
		{"AAIF-5-8", `action == 'opened' || action == 'synchronize'`, `{"action":"opened"}`, "true"},
		{"AAIF-5-8", `action == 'opened' || action == 'synchronize'`, `{"action":"closed"}`, "false"},
		{"AAIF-5-8", `confidence`, `{"confidence":1}`, "CONDITION_TYPE"},
		{"AAIF-5-8", `confidence`, `{"confidence":true}`, "true"},
		{"AAIF-5-21", `input.intent == 'billing'`, `{"intent":"billing"}`, "true"},
		{"AAIF-5-21", `input.intent == 'billing'`, `{"input":{"intent":"billing"}}`, "true"},
		{"AAIF-5-21", `input.intent == 'billing'`, `{"input":{},"intent":"billing"}`, "CONDITION_ERROR"},
		{"AAIF-5-21", `confidence < 0.8`, `{"confidence":0.5}`, "true"},
		{"AAIF-5-21", `confidence < 1`, `{"confidence":0.5}`, "true"},
		{"AAIF-5-19", `confidence < 0.8`, `{}`, "CONDITION_ERROR"},
		{"AAIF-5-19", `input.a / 0 == 1`, `{"a":1}`, "CONDITION_ERROR"},
		{"AAIF-4.9-14", `args.amount > 100`, `{"args":{"amount":50}}`, "false"},
		{"AAIF-4.9-14", `args.amount > 100`, `{"args":{"amount":150}}`, "true"},
		{"AAIF-5-8", `has(input.x) && input.x`, `{"x":true}`, "true"},
		{"AAIF-5-8", `has(input.x)`, `{}`, "false"},
		{"AAIF-5-8", `tags.exists(t, t == 'a')`, `{"tags":["b","a"]}`, "true"},
		{"AAIF-5-8", `'a' in tags && size(tags) == 1`, `{"tags":["a"]}`, "true"},
		{"AAIF-5-8", `type(n) == double && int(n) % 2 == 0`, `{"n":4}`, "true"},
		{"AAIF-5-8", `s.matches('^a+$')`, `{"s":"aaa"}`, "true"},
		{"AAIF-5-8", `timestamp(s) < timestamp('2026-01-01T00:00:00Z')`, `{"s":"2025-01-01T00:00:00Z"}`, "true"},
	})
}

func TestJSONLogic(t *testing.T) {
	decide(t, condition.JSONLogic, []decided{
		{"AAIF-5-9", `{"==":[{"var":"task.type"},"code_review"]}`, `{"task":{"type":"code_review"}}`, "true"},
		{"AAIF-5-9", `{"==":[{"var":"task.type"},"code_review"]}`, `{"task":{}}`, "false"},
		{"AAIF-5-9", `{"var":"n"}`, `{"n":0}`, "false"},
		{"AAIF-5-9", `{"var":"n"}`, `{"n":"0"}`, "true"},
		{"AAIF-5-9", `{"var":"n"}`, `{"n":{}}`, "true"},
		{"AAIF-5-9", `{"!!":[{"var":"n"}]}`, `{"n":{}}`, "true"},
		{"AAIF-5-9", `{"!!":[{"var":"n"}]}`, `{"n":[]}`, "false"},
		{"AAIF-5-9", `{"var":"n"}`, `{"n":""}`, "false"},
		{"AAIF-5-9", `{"var":"n"}`, `{"n":null}`, "false"},
		{"AAIF-5-9", `{"var":"n"}`, `{"n":false}`, "false"},
		{"AAIF-5-9", `true`, `{}`, "true"},
		{"AAIF-5-9", `false`, `{}`, "false"},
		{"AAIF-5-9", `{"and":[{"var":"missing"},true]}`, `{}`, "false"},
		{"AAIF-5-9", `{"and":[0,5]}`, `{}`, "false"},
		{"AAIF-5-9", `{"or":[0,"",5]}`, `{}`, "true"},
		{"AAIF-5-9", `{"some":[{"var":"items"},{"==":[{"var":"name"},"x"]}]}`, `{"items":[{"name":{"or":["x"]}}]}`, "false"},
		{"AAIF-5-9", `{"some":[{"var":"items"},{"==":[{"var":"name"},"x"]}]}`, `{"items":[{"name":"x"}]}`, "true"},
		{"AAIF-5-9", `{"all":[{"var":"l"},{">":[{"var":""},0]}]}`, `{"l":[1,2]}`, "true"},
		{"AAIF-5-9", `{"all":[{"var":"l"},true]}`, `{"l":[]}`, "false"},
		{"AAIF-5-9", `{"none":[{"var":"l"},{"==":[{"var":""},3]}]}`, `{"l":[1,2]}`, "true"},
		{"AAIF-5-9", `{"if":[{"var":"a"},false,{"var":"b"},true,false]}`, `{"b":1}`, "true"},
		{"AAIF-5-9", `{"?:":[{"var":"a"},false,true]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"var":"n"},"1"]}`, `{"n":1}`, "true"},
		{"AAIF-5-9", `{"===":[{"var":"n"},"1"]}`, `{"n":1}`, "false"},
		{"AAIF-5-9", `{"==":[null,0]}`, `{}`, "false"},
		{"AAIF-5-9", `{"!=":[1,2]}`, `{}`, "true"},
		{"AAIF-5-9", `{"!==":[1,"1"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"<":[1,{"var":"n"},3]}`, `{"n":2}`, "true"},
		{"AAIF-5-9", `{"<=":[1,{"var":"n"},3]}`, `{"n":4}`, "false"},
		{"AAIF-5-9", `{">=":["b","a"]}`, `{}`, "true"},
		{"AAIF-5-9", `{">":["a",1]}`, `{}`, "false"},
		{"AAIF-5-9", `{"in":[{"var":"x"},["a","b"]]}`, `{"x":"b"}`, "true"},
		{"AAIF-5-9", `{"in":["ell","hello"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"cat":["a",1,null,true]},"a1true"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"substr":["jsonlogic",-5]},"logic"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"substr":["jsonlogic",1,3]},"son"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"substr":["jsonlogic",4,-2]},"log"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"+":[1,"2",{"*":[2,3]}]},9]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"-":[{"/":[9,3]},{"%":[7,4]}]},0]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"-":2},-2]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"max":[1,3,2]},{"min":[3,4]}]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[{"reduce":[{"var":"l"},{"+":[{"var":"current"},{"var":"accumulator"}]},0]},6]}`, `{"l":[1,2,3]}`, "true"},
		{"AAIF-5-9", `{"==":[{"cat":[{"map":[{"var":"l"},{"*":[{"var":""},2]}]}]},"2,4"]}`, `{"l":[1,2]}`, "true"},
		{"AAIF-5-9", `{"filter":[{"var":"l"},{"var":""}]}`, `{"l":[0,""]}`, "false"},
		{"AAIF-5-9", `{"merge":[[],[[]],1]}`, `{}`, "true"},
		{"AAIF-5-9", `{"missing":["a","b"]}`, `{"a":1,"b":2}`, "false"},
		{"AAIF-5-9", `{"missing":[["a","c"]]}`, `{"a":1,"b":2}`, "true"},
		{"AAIF-5-9", `{"missing_some":[1,["a","c"]]}`, `{"a":1}`, "false"},
		{"AAIF-5-9", `{"missing_some":[2,["a","c"]]}`, `{"a":1}`, "true"},
		{"AAIF-5-9", `{"==":[{"var":["a.b",7]},7]}`, `{"a":{}}`, "true"},
		{"AAIF-5-9", `{"==":[{"var":"l.1"},2]}`, `{"l":[1,2]}`, "true"},
		{"AAIF-5-9", `{"!":[[]]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":[[1,2],"1,2"]}`, `{}`, "true"},
		{"AAIF-5-9", `{"==":["nan",{"var":"n"}]}`, `{"n":1}`, "false"},
	})
}
