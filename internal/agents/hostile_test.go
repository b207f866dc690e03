package agents_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// many joins n items.
func many(n int, item func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = item(i)
	}
	return strings.Join(list, ",")
}

// hostile are documents that are as large as an intake takes, each of another shape.
func hostile() map[string]string {
	const full = 1<<20 - 1<<10
	long := strings.Repeat("x", 90)
	expr := func(lang, expr string, n int) string {
		return `"events":{"triggers":[` + many(n, func(i int) string {
			return `{"type":"webhook","filter":{"lang":"` + lang + `","expr":` + strings.ReplaceAll(expr, "#", fmt.Sprint(i)) + `}}`
		}) + `]}`
	}
	return map[string]string{
		"one long text":          definition(`"instructions":"` + strings.Repeat("a b ", full/4) + `"`),
		"one long word":          definition(`"instructions":"` + strings.Repeat("aB3", full/3) + `"`),
		"what looks like keys":   definition(`"constraints":[` + many(9900, func(i int) string { return fmt.Sprintf(`"sk-%08dabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL"`, i) }) + `]`),
		"many capabilities":      definition(`"required_capabilities":[` + many(9900, func(i int) string { return fmt.Sprintf(`"a.%d%s"`, i, long) }) + `]`),
		"many skills":            definition(`"skills":[` + many(9900, func(i int) string { return fmt.Sprintf(`"%d%s"`, i, long) }) + `]`),
		"equal skills":           definition(`"skills":[` + many(9900, func(int) string { return `"` + long + `"` }) + `]`),
		"many tools":             definition(`"tools":[` + many(3200, func(i int) string { return fmt.Sprintf(`{"name":"t%d","description":"%s"}`, i, long) }) + `]`),
		"equal tools":            definition(`"tools":[` + many(2400, func(int) string { return `{"name":"t","description":"d","protocol":"mcp"}` }) + `]`),
		"unknown members":        definition(many(9900, func(i int) string { return fmt.Sprintf(`"m%d%s":7`, i, long) })),
		"unknown members inside": definition(`"tools":[` + many(3200, func(i int) string { return fmt.Sprintf(`{"nme":"t%d","descr":"%s"}`, i, long) }) + `]`),
		"many subagents": definition(`"orchestration":{"subagents":[` + many(1900, func(i int) string {
			return fmt.Sprintf(`{"ref":"r%d","alias":"a%d","when":"w"}`, i, i)
		}) + `],"pipeline":[` + many(1900, func(i int) string { return fmt.Sprintf(`"a%d"`, i) }) + `]}`),
		"many handoffs": definition(`"orchestration":{"handoff":[` + many(2400, func(i int) string { return fmt.Sprintf(`{"condition":"c","target_agent":"t%d"}`, i) }) + `]}`),
		"long names":    definition(`"io":{"input_schema":{` + many(900, func(i int) string { return fmt.Sprintf(`"%d%s":1`, i, strings.Repeat("n", 1000)) }) + `}}`),
		"deep":          definition(`"io":{"input_schema":` + strings.Repeat(`{"a":`, 28) + `{` + many(9800, func(i int) string { return fmt.Sprintf(`"a%d":%d`, i, i) }) + `}` + strings.Repeat("}", 28) + `}`),
		"large numbers": definition(`"io":{"input_schema":{` + many(9900, func(i int) string { return fmt.Sprintf(`"a%d":9%080d`, i, i) }) + `}}`),
		"CEL":           definition(expr("cel", `"[1,2,3].map(x, x + input.a#).exists(y, y > 3) && input.b.matches('a*b*c')"`, 240)),
		"one CEL":       definition(expr("cel", `"`+strings.Repeat("1+", 2000)+`1 == 1"`, 7)),
		"JSONPath":      definition(expr("jsonpath", `"$..a[?(@.b#==1 && @.c=='d')]..*"`, 330)),
		"JMESPath":      definition(expr("jmespath", `"a[?b==`+"`1`"+`].c[].{x:y,z:w#} | [0]"`, 330)),
		"JSONLogic":     definition(expr("jsonlogic", `{"and":[{"==":[{"var":"a#"},1]},{"or":[{"!":[{"var":"b"}]},true]}]}`, 280)),
		"memory":        definition(`"memory":[` + many(2400, func(i int) string { return fmt.Sprintf(`{"scope":"user","content":"%s","key":"k%d"}`, long, i) }) + `]`),
		"addresses": definition(`"context":[` + many(3200, func(i int) string {
			return fmt.Sprintf(`{"type":"url","value":"https://example.com/%d?q=%s"}`, i, long)
		}) + `]`),
	}
}

// How much an intake may take: allocations and what they come to, which tell what it
// does, however slow the machine is. They are some tenths of a second of one processor.
const (
	mostAllocations = 1_000_000
	mostBytes       = 100 << 20
)

func TestHostile(t *testing.T) {
	h := open(t, running())
	h.taken(definition()) // what is made once
	for name, raw := range hostile() {
		t.Run("AAIF-7-16 "+name, func(t *testing.T) {
			if len(raw) > 1<<20 {
				t.Fatalf("%d bytes: too long to be looked at", len(raw))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{DryRun: true})
			runtime.ReadMemStats(&after)
			allocations, bytes := after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
			if code := aaif.CodeOf(err); err != nil && code == "" || code == aaif.TooLarge {
				t.Errorf("it was not looked at: %v", err)
			}
			if allocations > mostAllocations || bytes > mostBytes {
				t.Errorf("%d allocations of %d KiB", allocations, bytes>>10)
			}
		})
	}
}
