package condition_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
)

// The definition of the tests of slips: two tools whose arguments are known, and two
// subagents.
const (
	slipTools = `{"name":"book","description":"B","protocol":"http","endpoint":"https://books.example","parameters_schema":{"type":"object","properties":{"amount":{"type":"number"},"to":{"type":"string"}}}},` +
		`{"name":"find","description":"F","parameters_schema":{"type":"object","properties":{"query":{"type":"string"}}}}`
	slipAgents = `"orchestration":{"subagents":[{"ref":"./reader.json","alias":"reader","when":%[1]s},{"ref":"https://agents.example/w"}],"handoff":[{"condition":%[1]s,"target_agent":"reader"}]}`
)

// slipFinder returns the codes and texts of what lint says of a condition at a site.
func slipFinder(t *testing.T, site condition.Site, tools, cond string) string {
	t.Helper()
	var definition string
	switch site {
	case condition.Approval:
		definition = `{"agent":{"tools":[` + tools + `],"compliance":{"human_in_the_loop":{"enabled":true,"trigger":` + cond + `}}}}`
	case condition.Filter:
		definition = `{"agent":{"tools":[` + tools + `],"events":{"triggers":[{"type":"webhook","filter":` + cond + `}]}}}`
	case condition.When:
		definition = `{"agent":{"orchestration":{"subagents":[{"ref":"./reader.json","alias":"reader","when":` + cond + `},{"ref":"https://agents.example/w"}]}}}`
	default:
		definition = `{"agent":{"orchestration":{"handoff":[{"condition":` + cond + `,"target_agent":"./b.json"}]}}}`
	}
	var found []string
	for _, p := range condition.NewCompiler(condition.Options{}).Check(aaif.ReadDefinition(value(t, definition)), condition.CheckOptions{Lint: true}) {
		if !p.Warning {
			t.Errorf("no warning: %v", p)
		}
		found = append(found, fmt.Sprintf("%s %s", condition.CodeOf(p), p.Err))
	}
	return strings.Join(found, "; ")
}

// TestSlips: what a condition asks for that its payload never has, in every language that
// can be read.
func TestSlips(t *testing.T) {
	const name, tool, twice = "CONDITION_UNKNOWN_NAME", "CONDITION_UNKNOWN_TOOL", "CONDITION_CONTRADICTION"
	for _, c := range []struct{ lang, expr, code, says string }{
		{"cel", `tool.nmae == 'book'`, name, "did you mean name?"},
		{"cel", `tool['nmae'] == 'book'`, name, "did you mean name?"},
		{"cel", `has(tool.nmae)`, name, "did you mean name?"},
		{"cel", `tool.name == 'bok'`, tool, "did you mean book?"},
		{"cel", `tool.name != 'bok'`, tool, "did you mean book?"},
		{"cel", `'bok' == tool.name`, tool, "did you mean book?"},
		{"cel", `tool.name in ['book', 'bok']`, tool, "did you mean book?"},
		{"cel", `tool.protocol == 'htp'`, tool, "did you mean http?"},
		{"cel", `args.amuont > 500`, name, "did you mean amount?"},
		{"cel", `tool.name == 'book' && args.query == 'x'`, name, "book takes no argument query"},
		{"cel", `tool.name in ['book'] && args.query == 'x'`, name, "book takes no argument query"},
		{"cel", `tool.name != 'book' || args.query == 'x'`, name, "book takes no argument query"},
		{"cel", `tool.name == 'book' && tool.name == 'find'`, twice, "tool.name"},
		{"cel", `tool.name == 'book' && (args.amount > 500.0 && tool.name == 'find')`, twice, "tool.name"},
		{"cel", `args.amount > 1.0 || (tool.name == 'book' && tool.name == 'find')`, twice, "tool.name"},
		{"cel", `args.to == 'a' && args.to == 'b'`, twice, "args.to"},
		{"cel", `input.x == 1`, name, "no x; it has tool, args, confidence, variables"},
		{"cel", `input.tool.nmae == 'book'`, name, "did you mean name?"},
		{"cel", `tool.name == 'book' && tools.x == 1`, name, "no tools"},
		{"jmespath", "tool.nmae == 'book'", name, "did you mean name?"},
		{"jmespath", "tool.name == 'bok'", tool, "did you mean book?"},
		{"jmespath", "contains(['bok','find'], tool.name)", tool, "did you mean book?"},
		{"jmespath", "args.amuont > `500`", name, "did you mean amount?"},
		{"jmespath", "tool.name == 'book' && args.query", name, "book takes no argument query"},
		{"jmespath", "tool.name == 'book' && tool.name == 'find'", twice, "tool.name"},
		{"jmespath", "input.x == `1`", name, "no input"},
		{"jmespath", `tool.name == "book"`, name, "no book"},
		{"jmespath", "$.tool.nmae == 'book'", name, "did you mean name?"},
		{"jsonpath", "$.tool.nmae", name, "did you mean name?"},
		{"jsonpath", "$.tool[?@ == 'bok']", tool, "did you mean book?"},
		{"jsonpath", "$.args.amuont", name, "did you mean amount?"},
		{"jsonpath", "$.args[?$.tool.name == 'bok']", tool, "did you mean book?"},
		{"jsonpath", "$.args[?$.tool.nmae]", name, "did you mean name?"},
		{"jsonpath", "$.args[?$.tool.name == 'book' && $.tool.name == 'find']", twice, "tool.name"},
		{"jsonpath", "$.tool[?@ == 'book' && @ == 'find']", twice, "tool"},
		{"jsonpath", "$['tool','tools']", name, "no tools"},
		{"jsonlogic", `{"==":[{"var":"tool.nmae"},"book"]}`, name, "did you mean name?"},
		{"jsonlogic", `{"==":[{"var":"tool.name"},"bok"]}`, tool, "did you mean book?"},
		{"jsonlogic", `{"!==":["bok",{"var":["tool.name"]}]}`, tool, "did you mean book?"},
		{"jsonlogic", `{"in":[{"var":"tool.name"},["bok","find"]]}`, tool, "did you mean book?"},
		{"jsonlogic", `{">":[{"var":"args.amuont"},500]}`, name, "did you mean amount?"},
		{"jsonlogic", `{"and":[{"==":[{"var":"tool.name"},"book"]},{"var":"args.query"}]}`, name, "book takes no argument query"},
		{"jsonlogic", `{"and":[{"==":[{"var":"tool.name"},"book"]},{"==":[{"var":"tool.name"},"find"]}]}`, twice, "tool.name"},
		{"jsonlogic", `{"==":[{"var":"input.x"},1]}`, name, "no input"},
	} {
		t.Run("AAIF-5-21 "+c.lang+" "+c.expr, func(t *testing.T) {
			got := slipFinder(t, condition.Approval, slipTools, string(written(t, condition.Language(c.lang), c.expr).AppendCanonical(nil)))
			if !strings.HasPrefix(got, c.code+" ") || !strings.Contains(got, c.says) || strings.Contains(got, "; CONDITION") {
				t.Errorf("got %q", got)
			}
		})
	}
	for lang, expr := range map[string]string{"cel": `outputs.raeder == 1`, "jmespath": "outputs.raeder", "jsonpath": "$.outputs.raeder", "jsonlogic": `{"var":"outputs.raeder"}`} {
		t.Run("AAIF-5-21 "+lang+" "+expr, func(t *testing.T) {
			got := slipFinder(t, condition.When, "", string(written(t, condition.Language(lang), expr).AppendCanonical(nil)))
			if !strings.HasPrefix(got, name) || !strings.Contains(got, "did you mean reader?") {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestNoSlips: what may hold is left alone.
func TestNoSlips(t *testing.T) {
	const (
		open  = `{"name":"open","description":"O","parameters_schema":{"type":"object","properties":{"a":{}},"additionalProperties":true}}`
		bare  = `{"name":"bare","description":"B"}`
		ref   = `{"name":"refs","description":"R","parameters_schema":{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"x":{}}}}}}`
		mcp   = `{"name":"all","description":"M","protocol":"mcp","endpoint":"mcp://ledger/all"}`
		pets  = `{"name":"pets","description":"P","protocol":"openapi","endpoint":"https://pets.example/openapi.json"}`
		other = `{"name":"own","description":"O","protocol":"acme","endpoint":"acme:x"}`
	)
	for _, c := range []struct {
		site        condition.Site
		tools, lang string
		expr        string
	}{
		{condition.Approval, slipTools, "cel", `tool.name == 'book' && args.amount > 500.0`},
		{condition.Approval, slipTools, "cel", `tool.name == 'book' || tool.name == 'find'`},
		{condition.Approval, slipTools, "cel", `!(tool.name == 'book') && !(tool.name == 'find')`},
		{condition.Approval, slipTools, "cel", `tool.name == 'book' ? args.amount > 1.0 : args.query == 'x'`},
		{condition.Approval, slipTools, "cel", `(tool.name == 'book' && args.amount > 1.0) || (tool.name == 'find' && args.query == 'x')`},
		{condition.Approval, slipTools, "cel", `tool.name == 'book' && tool.name in ['book', 'find']`},
		{condition.Approval, slipTools, "cel", `args.to == 'a' && args.amount == 'a'`},
		{condition.Approval, slipTools, "cel", `tool.name.startsWith('bok') && tool.name.matches('^b')`},
		{condition.Approval, slipTools, "cel", `variables.anything == 'x' && variables.more.of.it == 1`},
		{condition.Approval, slipTools, "cel", `input.args.amount > 1.0 && input.variables.x == 'y'`},
		{condition.Approval, slipTools, "cel", `variables.l.exists(tool, tool.nmae == 'bok')`},
		{condition.Approval, slipTools, "cel", `args.all(args, args != 'nmae')`},
		{condition.Approval, slipTools, "cel", `args[variables.key] == 'x'`},
		{condition.Approval, slipTools, "cel", `confidence < 0.8 || !has(input.confidence)`},
		{condition.Approval, slipTools, "cel", `'tool' in input && size(args) > 3`},
		{condition.Approval, slipTools + "," + bare, "cel", `args.whatever == 1`},
		{condition.Approval, slipTools + "," + open, "cel", `args.whatever == 1`},
		{condition.Approval, slipTools + "," + ref, "cel", `args.x == 1`},
		{condition.Approval, slipTools + "," + mcp, "cel", `tool.name == 'search' && args.q == 'x'`},
		{condition.Approval, slipTools + "," + pets, "cel", `tool.name == 'pets__listPets' && args.limit > 1`},
		{condition.Approval, slipTools + "," + other, "cel", `tool.name == 'theirs' || tool.protocol == 'acme'`},
		{condition.Approval, slipTools, "jmespath", "tool.name == 'book' && args.amount > `500`"},
		{condition.Approval, slipTools, "jmespath", "contains(keys(args), 'amuont')"},
		{condition.Approval, slipTools, "jmespath", "args.to.{x: nmae} && args.*.nmae"},
		{condition.Approval, slipTools, "jmespath", "args | nmae == 'x'"},
		{condition.Approval, slipTools, "jmespath", "args.to[?nmae == 'bok'].nmae"},
		{condition.Approval, slipTools, "jmespath", "let $nmae = args in $nmae.foo"},
		{condition.Approval, slipTools, "jmespath", "max_by(args.to, &nmae).bok"},
		{condition.Approval, slipTools, "jsonpath", "$.tool[?@ == 'book' || @ == 'http']"},
		{condition.Approval, slipTools, "jsonpath", "$.tool[?@ == 'mcp']"},
		{condition.Approval, slipTools, "jsonpath", "$.variables[?@.nmae == 'bok' && @.name == 'x']"},
		{condition.Approval, slipTools, "jsonpath", "$..nmae"},
		{condition.Approval, slipTools, "jsonpath", "$.args.to[?@.nmae == 'a']"},
		{condition.Approval, slipTools, "jsonpath", "$.args[?@ > 500]"},
		{condition.Approval, slipTools, "jsonpath", "$.args.to[?@.l[?@ == 'x'] && @.l[?@ == 'y']]"},
		{condition.Approval, slipTools, "jsonpath", "$.args.to[?@ == 'x'][?@ == 'y']"},
		{condition.Approval, slipTools, "jsonpath", "$.args[?length(@) > 3]"},
		{condition.Approval, slipTools, "jsonpath", "$.args[?@ == \"a && b\" && $.tool.name == 'book']"},
		{condition.Approval, slipTools, "jsonlogic", `{"and":[{"==":[{"var":"tool.name"},"book"]},{">":[{"var":"args.amount"},500]}]}`},
		{condition.Approval, slipTools, "jsonlogic", `{"and":[{"==":[{"var":"args.amount"},"1"]},{"==":[{"var":"args.amount"},"1.0"]}]}`},
		{condition.Approval, slipTools, "jsonlogic", `{"and":[{"===":[{"var":["args.to","a"]},"a"]},{"===":[{"var":["args.to","b"]},"b"]}]}`},
		{condition.Approval, slipTools, "jsonlogic", `{"some":[{"var":"args.to"},{"==":[{"var":"nmae"},"bok"]}]}`},
		{condition.Approval, slipTools, "jsonlogic", `{"if":[{"==":[{"var":"tool.name"},"book"]},{"var":"args.amount"},{"var":"args.query"}]}`},
		{condition.Approval, slipTools, "jsonlogic", `{"var":{"cat":["tool.","nmae"]}}`},
		{condition.Approval, slipTools, "jsonlogic", `{"missing":["args.amount"]}`},
		{condition.Approval, "", "cel", `args.whatever == 1`},
		{condition.Filter, slipTools, "cel", `tool.nmae == 'bok' && input.x == 1 && args.amuont > 2`},
		{condition.Filter, slipTools, "jsonlogic", `{"==":[{"var":"tool.nmae"},"bok"]}`},
		{condition.When, "", "cel", `outputs.reader == 1 && outputs['https://agents.example/w'] == 2 && input.x == 1`},
		{condition.When, "", "jmespath", "outputs.*.ok && task.anything && outputs.reader.zz"},
		{condition.Handoff, "", "cel", `input.anything == 1 && intent == 'x' && output.o == 1 && message.m == 2`},
	} {
		t.Run("AAIF-5-21 "+c.lang+" "+c.expr, func(t *testing.T) {
			if got := slipFinder(t, c.site, c.tools, string(written(t, condition.Language(c.lang), c.expr).AppendCanonical(nil))); got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("AAIF-4.9-17 tools of other agents are asked for, too", func(t *testing.T) {
		const trigger = `{"lang":"cel","expr":"tool.name == 'theirs' && args.whatever == 1"}`
		d := aaif.ReadDefinition(value(t, `{"agent":{"tools":[`+slipTools+`],`+fmt.Sprintf(slipAgents, `{"lang":"always"}`)+`,"compliance":{"human_in_the_loop":{"enabled":true,"trigger":`+trigger+`}}}}`))
		if got := checked(d, condition.CheckOptions{Lint: true}); got != "" {
			t.Errorf("got %q", got)
		}
	})
}

// TestManySlips: an expression of very many parts is looked at no longer than others.
func TestManySlips(t *testing.T) {
	var parts []string
	for i := range 60 {
		parts = append(parts, fmt.Sprintf("a.n%d=='x'", i))
	}
	chain := strings.Join(parts, "&&") + strings.Repeat("&&a", 1000)
	within(t, 3*time.Second, func() {
		for _, expr := range []string{chain, strings.Repeat("a.", 1500) + "*", "a" + strings.Repeat(".*", 1000), strings.Repeat("!", 3000) + "a"} {
			if got := slipFinder(t, condition.Handoff, "", string(written(t, condition.JMESPath, expr).AppendCanonical(nil))); len(got) > 400 {
				t.Errorf("says %d bytes", len(got))
			}
		}
	})
}

// TestSlipsAreBounded: what it costs to say what may have been meant does not grow with how
// much is wrong beyond what is told, nor with how often the same is.
func TestSlipsAreBounded(t *testing.T) {
	arguments := make([]string, 5_000)
	for i := range arguments {
		arguments[i] = fmt.Sprintf(`"argument%d":{}`, i)
	}
	tools := `{"name":"wide","description":"W","parameters_schema":{"type":"object","properties":{` + strings.Join(arguments, ",") + `}}}`
	for name, part := range map[string]func(i int) string{
		"others":   func(i int) string { return fmt.Sprintf("args.w%03d", i) },
		"the same": func(int) string { return "args.w000" },
	} {
		t.Run("AAIF-5-21 "+name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				parts := make([]string, n)
				for i := range parts {
					parts[i] = part(i)
				}
				cond := string(written(t, condition.JMESPath, strings.Join(parts, " || ")).AppendCanonical(nil))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				slipFinder(t, condition.Approval, tools, cond)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			if few, many := allocated(20), allocated(240); many > 3*few {
				t.Errorf("%d bytes for 20 arguments, and %d for 240", few, many)
			}
		})
	}
}
