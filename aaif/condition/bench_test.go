package condition_test

import (
	"io"
	"strings"
	"testing"

	"cel.dev/cel-go/cel"
	"github.com/diegoholiveira/jsonlogic/v3"
	"github.com/jmespath-community/go-jmespath/pkg/api"
	"github.com/theory/jsonpath"

	"github.com/satchel-memory/satchel/aaif/condition"
)

const benchPayload = `{"task":{"type":"invoice","amount":120},"outputs":{"reader":{"confidence":0.7,"tags":["a","b","c"]}},
	"input":{"items":[{"name":"a","price":9},{"name":"b","price":11},{"name":"c","price":12},{"name":"d","price":1}]}}`

// BenchmarkCondition decides the same expression here and with its library
// alone, which is given the payload in its own form, made ready as here.
func BenchmarkCondition(b *testing.B) {
	data := native(benchPayload)
	for _, c := range []struct {
		lang  condition.Language
		name  string
		expr  string
		alone func(expr string) func()
	}{
		{condition.JSONPath, "name", "$.task.type", jsonpathAlone(data)},
		{condition.JSONPath, "filter", "$.input.items[?@.price > 10 && @.name == 'c']", jsonpathAlone(data)},
		{condition.JSONPath, "descendants", "$..tags[?@ == 'c']", jsonpathAlone(data)},
		{condition.JSONPath, "search", "$.input.items[?search(@.name, '^[bc]$')]", jsonpathAlone(data)},
		{condition.JMESPath, "name", "task.type == 'invoice'", jmespathAlone(data)},
		{condition.JMESPath, "filter", "input.items[?price > `10` && name == 'c'].name", jmespathAlone(data)},
		{condition.JMESPath, "function", "length(outputs.reader.tags) == `3`", jmespathAlone(data)},
		{condition.CEL, "name", "task.type == 'invoice'", celAlone(b, data)},
		{condition.CEL, "filter", "input.items.exists(i, i.price > 10.0 && i.name == 'c')", celAlone(b, data)},
		{condition.CEL, "and", "task.amount > 100.0 && 'b' in outputs.reader.tags", celAlone(b, data)},
	} {
		cond := compiled(b, c.lang, c.expr)
		p := payload(b, benchPayload)
		b.Run(string(c.lang)+"/"+c.name+"/here", func(b *testing.B) {
			for b.Loop() {
				if yes, err := cond.Eval(p); !yes {
					b.Fatal(err)
				}
			}
		})
		run := c.alone(c.expr)
		b.Run(string(c.lang)+"/"+c.name+"/library", func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	}
}

func jsonpathAlone(data any) func(string) func() {
	return func(expr string) func() {
		path := jsonpath.MustParse(expr)
		return func() { path.Select(data) }
	}
}

func jmespathAlone(data any) func(string) func() {
	return func(expr string) func() {
		query := api.MustCompile(expr)
		return func() { _, _ = query.Search(data) }
	}
}

// BenchmarkLogic reads, and decides, as the library for JsonLogic does in one.
func BenchmarkLogic(b *testing.B) {
	for name, expr := range map[string]string{
		"name": `{"==":[{"var":"task.type"},"invoice"]}`,
		"some": `{"some":[{"var":"input.items"},{">":[{"var":"price"},10]}]}`,
	} {
		compiler := condition.NewCompiler(condition.Options{})
		b.Run(name+"/here", func(b *testing.B) {
			for b.Loop() {
				c, err := compiler.Compile(written(b, condition.JSONLogic, expr), "")
				if err != nil {
					b.Fatal(err)
				}
				if yes, err := c.Eval(payload(b, benchPayload)); !yes {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/library", func(b *testing.B) {
			for b.Loop() {
				if err := jsonlogic.Apply(strings.NewReader(expr), strings.NewReader(benchPayload), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func celAlone(b *testing.B, data any) func(string) func() {
	return func(expr string) func() {
		env, err := cel.NewEnv(cel.Variable("task", cel.DynType), cel.Variable("input", cel.DynType), cel.Variable("outputs", cel.DynType))
		if err != nil {
			b.Fatal(err)
		}
		tree, issues := env.Compile(expr)
		if issues.Err() != nil {
			b.Fatal(issues.Err())
		}
		program, err := env.Program(tree, cel.CostLimit(1_000_000))
		if err != nil {
			b.Fatal(err)
		}
		return func() { _, _, _ = program.Eval(data) }
	}
}
