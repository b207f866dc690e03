package host_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// member is the definition of an agent that others refer to; its model is called as its name.
func member(p *place, id, name, more string) string {
	raw := strings.NewReplacer(agentID, id, `"name":"Clerk"`, `"name":"`+name+`"`, `"preferred":"m"`, `"preferred":"`+name+`"`).Replace(clerk(p))
	i := strings.Index(raw, `"tools":[`)
	return raw[:i] + more + `}}`
}

// The agents of teams.
const (
	readerID = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a11"
	writerID = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a12"
	deskID   = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a13"
)

// TestSpansOfTeam: subagents and handoffs are in the trace of their run.
func TestSpansOfTeam(t *testing.T) {
	t.Parallel()
	p := open(t, vaulttest.Open(t), model.Step{Model: "Reader", Answer: "Read."}, model.Step{Model: "Writer", Answer: "Written."}, model.Step{Model: "Desk", Answer: "Bye."})
	s := &spans{}
	p.options.Spans = s
	p.Host = host.New(p.options)
	p.intake(member(p, readerID, "Reader", `"description":"Reads."`))
	p.intake(member(p, writerID, "Writer", `"telemetry":{"tracing":false},"description":"Writes."`))
	p.intake(member(p, deskID, "Desk", `"description":"Answers."`))
	p.intake(member(p, agentID, "Clerk", `"orchestration":{"subagents":[{"ref":"`+readerID+`","alias":"reader"},{"ref":"`+writerID+`","alias":"writer"},{"ref":"`+deskID+`","alias":"desk","when":{"lang":"never"}}],`+
		`"pipeline":["reader","writer"],`+
		`"handoff":[{"condition":{"lang":"always"},"target_agent":"desk","pass_context":false}]}`))
	p.begin(trace.With(p.Ctx, trace.Parse(incoming)))
	r := p.goOn()
	if r.Status != aaif.Completed {
		t.Fatalf("%s %+v", r.Status, r.Err)
	}
	got := s.tree(trace.Parse(incoming))
	t.Run("AAIF-4.7-6 handoffs", func(t *testing.T) {
		if !strings.Contains(got, "  aaif.agent.handoff target_agent.id="+deskID+" pass_context=false\n") || s.count(trace.Handoff) != 1 {
			t.Errorf("got\n%s", got)
		}
	})
	t.Run("AAIF-4.7-1 one tree", func(t *testing.T) {
		const want = "run\n  run\n    llm_call\n  handoff\n  llm_call\n" // the writer is not traced
		if bare(got) != want || len(s.traces()) != 1 || !strings.Contains(got, "\n  aaif.agent.run agent.id="+readerID) {
			t.Errorf("got\n%s", got)
		}
	})
}

// TestSpansExactly: a run with one question to each of two models, one call, one read and one
// write of memory beside the seed, and one handoff has these spans, and no others.
func TestSpansExactly(t *testing.T) {
	t.Parallel()
	write := model.ScriptCall{ID: "c2", Tool: "satchel_memory_write", Arguments: []byte(`{"scope":"task","key":"receipt","content":"planted"}`)}
	first := asks("pay")
	first.Calls = append(first.Calls, write)
	p := open(t, vaulttest.Open(t), append(script(first), model.Step{Model: "m", Answer: "Done."}, model.Step{Model: "Desk", Answer: "Bye."})...)
	s := &spans{}
	p.options.Spans = s
	p.Host = host.New(p.options)
	p.intake(member(p, deskID, "Desk", `"description":"Answers."`))
	p.intake(strings.Replace(clerk(p), `"tools":[`, `"memory":[{"scope":"task","key":"receipt","content":"planted","backend":"in_memory"}],"orchestration":{"subagents":[{"ref":"`+deskID+`","alias":"desk","when":{"lang":"never"}}],"handoff":[{"condition":{"lang":"always"},"target_agent":"desk"}]},"tools":[`, 1))
	p.begin(p.Ctx)
	if r := p.goOn(); r.Output != "Bye." {
		t.Fatalf("%s %q %+v", r.Status, r.Output, r.Err)
	}
	got := s.tree()
	t.Run("AAIF-4.7-1 exactly these spans", func(t *testing.T) {
		kinds := map[trace.Kind]bool{}
		for _, one := range s.all {
			kinds[one.Kind] = true
		}
		for _, want := range []trace.Kind{trace.Run, trace.LLMCall, trace.ToolCall, trace.MemoryRead, trace.MemoryWrite, trace.Handoff} {
			if !kinds[want] {
				t.Errorf("there is no %s", want)
			}
		}
		if len(kinds) != 6 || s.count(trace.ToolCall) != 1 || s.count(trace.MemoryWrite) != 2 || s.count(trace.Run) != 1 {
			t.Errorf("got\n%s", got)
		}
	})
	t.Run("AAIF-4.7-5 memory", func(t *testing.T) {
		for _, want := range []string{"aaif.agent.memory_read memory.scope=task memory.backend=satchel\n", "aaif.agent.memory_write memory.scope=task memory.backend=satchel\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("there is no %s in\n%s", want, got)
			}
		}
		if strings.Contains(got, "planted") || strings.Contains(got, "receipt") {
			t.Errorf("AAIF-4.7-12: a note is in\n%s", got)
		}
	})
	t.Run("AAIF-4.7-6 pass_context is true where nothing is said", func(t *testing.T) {
		if !strings.Contains(got, "aaif.agent.handoff target_agent.id="+deskID+" pass_context=true\n") {
			t.Errorf("got\n%s", got)
		}
	})
}

// listener is an agent elsewhere that notes what it is told of the trace.
type listener struct{ head http.Header }

func (l *listener) Ask(ctx context.Context, _, _, _ string) (tool.Result, error) {
	trace.Tell(ctx, l.head)
	return tool.Result{Text: "Heard."}, nil
}

// TestSpansElsewhere: an agent on another platform is told of the call by which it gets its task.
func TestSpansElsewhere(t *testing.T) {
	t.Parallel()
	p, s := traced(t, model.Step{Answer: "Far is heard."})
	l := &listener{http.Header{}}
	const card = "https://far.example/card?planted"
	p.options.Settings.Tools.Agents = []tool.Elsewhere{{Card: card}}
	p.options.Remote = l
	p.Host = host.New(p.options)
	p.intake(member(p, agentID, "Clerk", `"orchestration":{"subagents":[{"ref":"`+card+`","alias":"far"}]}`))
	p.begin(p.Ctx)
	if r := p.goOn(); r.Status != aaif.Completed {
		t.Fatalf("%s %+v", r.Status, r.Err)
	}
	t.Run("AAIF-U.I-2 the header goes along", func(t *testing.T) {
		got := s.tree()
		told := trace.Parse(l.head.Get("Traceparent"))
		if bare(got) != "run\n  run\n    tool_call\n  llm_call\n" || strings.Contains(got, "planted") || !strings.Contains(got, "tool.protocol=a2a tool.endpoint=https://far.example/card") ||
			!slices.ContainsFunc(s.all, func(one trace.Span) bool { return one.Kind == trace.ToolCall && one.Context == told }) {
			t.Errorf("told %v, got\n%s", l.head, got)
		}
	})
}

// BenchmarkRun measures a run of two turns and one call, without a collector and with one.
func BenchmarkRun(b *testing.B) {
	c := otlptest.Start(b, nil)
	e, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { e.Close(b.Context()) }()
	for name, to := range map[string]trace.Recorder{"none": nil, "collector": e.Runs()} {
		b.Run(name, func(b *testing.B) {
			p := open(b, vaulttest.Open(b), script(asks("look"), model.Step{Answer: "Done."})...)
			p.options.Spans = to
			p.Host = host.New(p.options)
			p.take()
			for b.Loop() {
				id, err := aaif.NewID(rand.Reader)
				if err == nil {
					_, err = p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: id, Agent: agentID, Input: canon.String("Book number 1.")})
				}
				if err != nil {
					b.Fatal(err)
				}
				if r, err := p.Continue(p.Ctx, p.Me(), id, run.ContinueOptions{}); err != nil || r.Output != "Done." {
					b.Fatal(r.Err, err)
				}
			}
		})
	}
}
