package host

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// How runs and calls of tools end, in metrics.
const (
	succeeded    = "success"
	failedStatus = "error"
	timedOut     = "timeout"
)

// Names of models and tools come from definitions. Beyond so many of them, and so long ones, a
// metric has one series for all others.
const (
	mostSeries = 200
	mostLabel  = 80
	otherName  = "other"
)

// bounds returns the bounds of the durations of runs, from a tenth of a second to an hour.
func bounds() []time.Duration {
	return []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}
}

// counts counts what runs do in this process (section 4.7, upstream J). The zero counts is
// ready for use, and a nil one counts nothing. It is safe for concurrent use.
type counts struct {
	mu     sync.Mutex
	took   *metric.Histogram
	runs   map[string]float64      // by how they ended
	used   map[route.Target]*spent // by model
	called map[toolStatus]float64
	names  map[string]bool // the tools in called
}

// spent is what a model has used.
type spent struct{ input, output, usd float64 }

type toolStatus struct{ tool, status string }

// run counts a run that has ended.
func (c *counts) run(status string, took time.Duration) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.took == nil {
		c.took, c.runs = metric.NewHistogram(bounds()), map[string]float64{}
	}
	c.took.Observe(took)
	c.runs[status]++
}

// model counts what an answer of a model has used.
func (c *counts) model(of route.Target, u run.Usage) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used == nil {
		c.used = map[route.Target]*spent{}
	}
	of = route.Target{Provider: label(of.Provider), Model: label(of.Model)}
	if c.used[of] == nil && len(c.used) >= mostSeries {
		of = route.Target{Provider: otherName, Model: otherName}
	}
	if c.used[of] == nil {
		c.used[of] = &spent{}
	}
	s := c.used[of]
	s.input, s.output, s.usd = s.input+float64(u.Input), s.output+float64(u.Output), s.usd+u.USD
}

// tool counts a call of a tool.
func (c *counts) tool(name, status string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.called == nil {
		c.called, c.names = map[toolStatus]float64{}, map[string]bool{}
	}
	if name = label(name); !c.names[name] && len(c.names) >= mostSeries {
		name = otherName
	}
	c.names[name] = true
	c.called[toolStatus{name, status}]++
}

// label returns a name of a definition as it may stand in a metric.
func label(name string) string {
	if len(name) > mostLabel {
		return otherName
	}
	return trace.Plain(name)
}

// Measured returns what runs did in this process, as metrics.
func (h *Host) Measured() []metric.Family {
	c := &h.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	took := metric.Family{Name: "aaif_agent_run_duration_ms", Kind: metric.Timing, Help: "How long runs of agents that ended here were executed, in milliseconds, without waiting for people."}
	if c.took != nil {
		took.AddMillis(c.took)
	}
	runs := metric.Family{Name: "aaif_agent_run_total", Kind: metric.Counter, Help: "Runs of agents that ended here: success, error, timeout."}
	for _, status := range []string{succeeded, failedStatus, timedOut} {
		runs.Add(c.runs[status], "status", status)
	}
	tokens := metric.Family{Name: "aaif_agent_llm_tokens_total", Kind: metric.Counter, Help: "Tokens that models read and wrote for runs."}
	cost := metric.Family{Name: "aaif_agent_cost_usd_total", Kind: metric.Counter, Help: "What models cost for runs, in US dollars, as far as prices are known."}
	byName := func(a, b route.Target) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	}
	for _, of := range slices.SortedFunc(maps.Keys(c.used), byName) {
		s := c.used[of]
		tokens.Add(s.input, "provider", of.Provider, "model", of.Model, "type", "input")
		tokens.Add(s.output, "provider", of.Provider, "model", of.Model, "type", "output")
		cost.Add(s.usd, "provider", of.Provider, "model", of.Model)
	}
	calls := metric.Family{Name: "aaif_agent_tool_calls_total", Kind: metric.Counter, Help: "Calls of tools by runs: success, error, timeout."}
	for _, of := range slices.SortedFunc(maps.Keys(c.called), func(a, b toolStatus) int {
		return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.status, b.status))
	}) {
		calls.Add(c.called[of], "tool_name", of.tool, "status", of.status)
	}
	return []metric.Family{took, runs, tokens, calls, cost}
}
