package host_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// spans is a collector in memory.
type spans struct {
	mu  sync.Mutex
	all []trace.Span
}

func (s *spans) Samples(trace.Context) bool { return true }

func (s *spans) Record(one trace.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, one)
}

// tree draws the spans: each below its parent, in the order in which they began, with their
// attributes. Ids are left out.
func (s *spans) tree(roots ...trace.Context) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text strings.Builder
	var draw func(below trace.SpanID, depth int)
	draw = func(below trace.SpanID, depth int) {
		for _, one := range slices.SortedStableFunc(slices.Values(s.all), func(a, b trace.Span) int { return a.Begin.Compare(b.Begin) }) {
			if one.Parent.Span != below {
				continue
			}
			fmt.Fprintf(&text, "%s%s", strings.Repeat("  ", depth), one.Kind)
			for _, a := range one.Attributes {
				fmt.Fprintf(&text, " %s=%v", a.Name, a.Value)
			}
			if one.Failure != "" {
				text.WriteString(" error.type=" + one.Failure)
			}
			text.WriteByte('\n')
			draw(one.Context.Span, depth+1)
		}
	}
	if len(roots) == 0 {
		roots = []trace.Context{{}}
	}
	for _, root := range roots {
		draw(root.Span, 0)
	}
	return text.String()
}

// traces returns the traces that spans belong to.
func (s *spans) traces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]bool{}
	for _, one := range s.all {
		all[hex.EncodeToString(one.Context.Trace[:])] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// count returns how many spans there are of a kind.
func (s *spans) count(kind trace.Kind) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.all {
		if one.Kind == kind {
			n++
		}
	}
	return n
}

// traced opens a platform with a collector.
func traced(t *testing.T, steps ...model.Step) (*place, *spans) {
	p, s := open(t, vaulttest.Open(t), script(steps...)...), &spans{}
	p.options.Spans = s
	p.Host = host.New(p.options)
	return p, s
}

// begin starts the run of the usual agent within a request.
func (p *place) begin(ctx context.Context) run.Run {
	p.T.Helper()
	r, err := p.Host.Start(ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("Book number 1.")})
	if err != nil {
		p.T.Fatal(err)
	}
	return r
}

const incoming = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestSpans(t *testing.T) {
	t.Parallel()
	p, s := traced(t, asks("look"), model.Step{Answer: "Done."})
	p.take()
	p.begin(p.Ctx)
	p.goOn()
	got := strings.ReplaceAll(s.tree(), p.toolsAt, "http://tools")
	const golden = `aaif.agent.run agent.id=` + agentID + ` gen_ai.agent.id=` + agentID + ` agent.name=Clerk gen_ai.agent.name=Clerk agent.version=1.0.0 gen_ai.agent.version=1.0.0 model.provider=openai gen_ai.provider.name=openai model.name=m gen_ai.request.model=m gen_ai.operation.name=invoke_agent
  aaif.agent.llm_call llm.provider=openai gen_ai.provider.name=openai llm.model=m gen_ai.request.model=m gen_ai.operation.name=chat llm.input_tokens=10 gen_ai.usage.input_tokens=10 llm.output_tokens=5 gen_ai.usage.output_tokens=5
  aaif.agent.tool_call tool.name=look gen_ai.tool.name=look tool.protocol=http tool.endpoint=http://tools/call/look gen_ai.operation.name=execute_tool
  aaif.agent.llm_call llm.provider=openai gen_ai.provider.name=openai llm.model=m gen_ai.request.model=m gen_ai.operation.name=chat llm.input_tokens=10 gen_ai.usage.input_tokens=10 llm.output_tokens=5 gen_ai.usage.output_tokens=5
`
	for _, row := range []string{"AAIF-3-6 without a telemetry block a run is traced", "AAIF-4.7-2 the root says which agent and model", "AAIF-4.7-3 tools", "AAIF-4.7-4 tokens", "AAIF-11-8 gen_ai"} {
		t.Run(row, func(t *testing.T) {
			if got != golden {
				t.Errorf("got\n%s\nwant\n%s", got, golden)
			}
		})
	}
	if n := len(s.traces()); n != 1 {
		t.Errorf("%d traces", n)
	}
}

func TestSpansOff(t *testing.T) {
	t.Parallel()
	p, s := traced(t, asks("look"), model.Step{Answer: "Done."})
	p.take(`"telemetry":{"tracing":false,"metrics":false}`)
	p.begin(trace.With(p.Ctx, trace.Parse(incoming)))
	p.goOn()
	t.Run("AAIF-3-6 no spans and no metrics", func(t *testing.T) {
		if len(s.all) != 0 {
			t.Errorf("%d spans", len(s.all))
		}
		for _, f := range p.Measured() {
			for _, of := range f.Samples {
				if of.Value != 0 {
					t.Errorf("%s %v is %v", f.Name, of.Labels, of.Value)
				}
			}
		}
	})
	t.Run("AAIF-U.I-2 the caller's trace goes to tools all the same", func(t *testing.T) {
		if got := p.tools.Requests("look")[0].Header.Get("Traceparent"); got != incoming {
			t.Errorf("got %q", got)
		}
	})
}

// TestSpansFail: a route that does not answer, a tool that says no, and a run that fails.
func TestSpansFail(t *testing.T) {
	t.Parallel()
	p, s := open(t, vaulttest.Open(t), append([]model.Step{{Model: "away", Status: 503}}, script(asks("pay"), model.Step{Answer: "x"})...)...), &spans{}
	p.options.Spans = s
	p.options.Settings.Models.Models = []route.Model{{Target: route.Target{Provider: "openai", Model: "m2"}}}
	p.Host = host.New(p.options)
	p.tools.SetFault("pay", faketool.Fault{Kind: faketool.Refuse})
	raw := strings.Replace(clerk(p), `"preferred":"m"`, `"preferred":"away","fallbacks":[{"provider":"openai","model":"m2"}]`, 1)
	p.intake(raw)
	p.begin(p.Ctx)
	p.goOn()
	t.Run("AAIF-4.7-4 the span shows the model that answered", func(t *testing.T) {
		tree := s.tree()
		for _, want := range []string{"llm.model=away gen_ai.request.model=away gen_ai.operation.name=chat error.type=503", "llm.model=m2 gen_ai.request.model=m2 gen_ai.operation.name=chat llm.input_tokens=10", "error.type=TOOL_"} {
			if !strings.Contains(tree, want) {
				t.Errorf("there is no %s in\n%s", want, tree)
			}
		}
	})
}

// clerk returns the usual definition; intake takes one in.
func clerk(p *place) string {
	return `{"sc_standard":"SC-006","agent_id":"` + agentID + `","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","instructions":"Be exact.","model":{"provider":"openai","preferred":"m"},"tools":[` +
		`{"name":"pay","description":"Does it.","protocol":"http","endpoint":"` + p.toolsAt + `/call/pay","parameters_schema":{"type":"object","properties":{"n":{"type":"number"}}}}]}}`
}

func (p *place) intake(raw string) {
	p.T.Helper()
	if _, err := p.agents.Intake(p.Ctx, p.Me(), []byte(raw), aaif.IntakeOptions{}); err != nil {
		p.T.Fatal(err)
	}
}

// TestOneTrace: a run that one server is cut off from, that waits for a person, and that goes
// on elsewhere, is one trace.
func TestOneTrace(t *testing.T) {
	t.Parallel()
	p, first := traced(t, asks("look"), asks("pay"), model.Step{Answer: "Done."})
	p.take(oversight)
	p.begin(trace.With(p.Ctx, trace.Parse(incoming)))
	cut, cancel := context.WithCancel(p.Ctx)
	p.options.OnEvent = func(_ string, e run.Event) {
		if e.Kind == run.Returned {
			cancel() // as if it were killed: nothing is recorded any more
		}
	}
	if _, err := host.New(p.options).Continue(cut, p.Me(), runID, run.ContinueOptions{}); err == nil {
		t.Fatal("it was not cut off")
	}
	second := &spans{}
	p.options.OnEvent, p.options.Spans = nil, second
	p.Host = host.New(p.options)
	r := p.goOn()
	if r.Status != aaif.AwaitingApproval {
		t.Fatalf("%s %+v", r.Status, r.Err)
	}
	t.Run("AAIF-4.7-1 what has not ended is not recorded", func(t *testing.T) {
		if first.count(trace.Run)+second.count(trace.Run) != 0 || first.count(trace.LLMCall) != 1 || first.count(trace.ToolCall) != 1 || second.count(trace.LLMCall) != 1 {
			t.Errorf("got\n%s\n%s", first.tree(r.Start.Trace.Root), second.tree(r.Start.Trace.Root))
		}
	})

	// It goes on at another platform.
	state, err := p.Leave(p.Ctx, p.Me(), runID, "d7e8f9a0-1234-4000-8000-000000000001", "b.example")
	if err != nil {
		t.Fatal(err)
	}
	b, there := traced(t, asks("look"), asks("pay"), model.Step{Answer: "Done."})
	b.take(oversight)
	if _, err := b.Host.Start(b.Ctx, b.Me(), host.Start{RunID: runID, Agent: agentID, State: state}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Host.Left(p.Ctx, p.Me(), runID, "b.example"); err != nil {
		t.Fatal(err)
	}
	waits := b.goOn()
	if _, err := b.Approve(b.Ctx, b.Me(), runID, "", waits.Calls[0].Digest); err != nil {
		t.Fatal(err)
	}
	b.goOn()
	b.goOn() // once more changes nothing
	all := &spans{all: slices.Concat(first.all, second.all, there.all)}
	t.Run("AAIF-4.7-10 the caller's trace is continued, also by the other platform", func(t *testing.T) {
		if got := all.traces(); len(got) != 1 || got[0] != incoming[3:35] {
			t.Errorf("got %v", got)
		}
		want := "run\n  llm_call\n  tool_call\n  llm_call\n  run\n    tool_call\n    llm_call\n"
		if got := bare(all.tree(trace.Parse(incoming))); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	if n := value(t, p.Measured(), "aaif_agent_run_total", "status", "success") + value(t, b.Measured(), "aaif_agent_run_total", "status", "success"); n != 1 {
		t.Errorf("AAIF-U.J-1: it counts as %v runs", n)
	}
}

// bare returns a tree without attributes.
func bare(tree string) string {
	return regexp.MustCompile(`(?m)^( *)aaif\.agent\.(\S+).*$`).ReplaceAllString(tree, "$1$2")
}

// value returns a value of a metric.
func value(t *testing.T, all []metric.Family, name string, labels ...string) float64 {
	t.Helper()
	for _, f := range all {
		for _, s := range f.Samples {
			if f.Name == name && slices.Equal(s.Labels, labels) {
				return s.Value
			}
		}
	}
	t.Errorf("there is no %s %v", name, labels)
	return 0
}

func TestMeasured(t *testing.T) {
	t.Parallel()
	p, _ := traced(t, asks("look"), model.Step{Answer: "Done."})
	in, out := .5, 2.0
	p.options.Settings.Models.Models = []route.Model{{Target: route.Target{Provider: "openai", Model: "m"}, Input: &in, Output: &out}}
	p.Host = host.New(p.options)
	p.take()
	p.begin(p.Ctx)
	p.goOn()
	t.Run("AAIF-U.J-1 five series", func(t *testing.T) {
		all := p.Measured()
		for _, c := range []struct {
			want   float64
			name   string
			labels []string
		}{
			{1, "aaif_agent_run_total", []string{"status", "success"}},
			{20, "aaif_agent_llm_tokens_total", []string{"provider", "openai", "model", "m", "type", "input"}},
			{10, "aaif_agent_llm_tokens_total", []string{"provider", "openai", "model", "m", "type", "output"}},
			{1, "aaif_agent_tool_calls_total", []string{"tool_name", "look", "status", "success"}},
			{(20*in + 10*out) / 1000, "aaif_agent_cost_usd_total", []string{"provider", "openai", "model", "m"}},
		} {
			if got := value(t, all, c.name, c.labels...); got != c.want {
				t.Errorf("%s %v is %v, want %v", c.name, c.labels, got, c.want)
			}
		}
		if took := all[0]; took.Name != "aaif_agent_run_duration_ms" || took.Samples[0].Durations.Bounds[0] != 100 || sum(took.Samples[0].Durations.Counts) != 1 || took.Samples[0].Durations.Sum <= 0 {
			t.Errorf("%+v", took)
		}
	})
}

func sum(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestTold: tools are told of the trace, whatever protocol they speak.
func TestTold(t *testing.T) {
	t.Parallel()
	p, s := traced(t, asks("pay", "desk__write", "file"), model.Step{Answer: "Done."})
	p.options.Settings.Tools.Functions = []tool.Function{{Name: "file", Program: tool.Program{Command: faketool.Command(faketool.Function, filepath.Join(t.TempDir(), "lines"))}}}
	p.Host = host.New(p.options)
	of := func(header string) string {
		raw := strings.Replace(clerk(p), `"tools":[`, `"telemetry":{"trace_context_header":"`+header+`"},"tools":[{"name":"file","description":"Files.","protocol":"function"},{"name":"desk","description":"A desk.","protocol":"mcp","endpoint":"`+p.toolsAt+`/mcp"},`, 1)
		return raw
	}
	p.intake(of("X-Trace"))
	p.begin(p.Ctx)
	r := p.goOn()
	if r.Output != "Done." {
		t.Fatalf("%s %+v", r.Status, r.Err)
	}
	form := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
	inTrace := func(t *testing.T, value string) {
		t.Helper()
		told := trace.Parse(value)
		if !form.MatchString(value) || told.Trace != r.Start.Trace.Root.Trace || !slices.ContainsFunc(s.all, func(one trace.Span) bool { return one.Kind == trace.ToolCall && one.Context == told }) {
			t.Errorf("a tool is told %q", value)
		}
	}
	t.Run("AAIF-4.7-9 in the header that the definition names", func(t *testing.T) {
		head := p.tools.Requests("pay")[0].Header
		inTrace(t, head.Get("X-Trace"))
		if head.Get("Traceparent") != "" {
			t.Errorf("%v", head)
		}
	})
	t.Run("AAIF-U.I-2 in _meta of MCP, and in the variable of a command", func(t *testing.T) {
		found := false
		for _, one := range p.tools.Requests("mcp") {
			if m := regexp.MustCompile(`"traceparent":"([^"]*)"`).FindStringSubmatch(one.Body); m != nil && strings.Contains(one.Body, "tools/call") {
				found = true
				inTrace(t, m[1])
				inTrace(t, one.Header.Get("X-Trace"))
			}
		}
		if !found {
			t.Errorf("the MCP server is told nothing: %+v", p.tools.Requests("mcp"))
		}
		for _, m := range r.Messages {
			if m.Role == "tool" && m.Tool == "file" {
				told := regexp.MustCompile(`TRACEPARENT=([-0-9a-f]*)`).FindStringSubmatch(m.Content)
				if told == nil {
					t.Fatalf("a command is told nothing: %s", m.Content)
				}
				inTrace(t, told[1])
			}
		}
	})
}
