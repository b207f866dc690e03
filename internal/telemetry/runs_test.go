package telemetry_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
)

// TestRunSpans: the spans of runs are sent with the ids and the times that they have.
func TestRunSpans(t *testing.T) {
	c := otlptest.Start(t, nil)
	e, _ := begin(t, telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}})
	to := e.Runs()
	of := trace.NewOrigin(trace.Context{}, to.Samples)
	began := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	spans := trace.Spans{To: to, Origin: of, Now: func() time.Time { return began }}
	_, end := spans.Begin(t.Context(), trace.ToolCall, trace.AboutTool("look", aaif.Tool{Protocol: aaif.HTTPTool})...)
	end("TIMEOUT", trace.Attribute{Name: "pass_context", Value: true})
	spans.Whole(trace.Run, began, began.Add(time.Hour), "")
	closeWithin(e, 5*time.Second)
	all := c.Spans()
	if len(all) != 2 {
		t.Fatalf("%v", all)
	}
	call, root := all[0], all[1]
	if !bytes.Equal(root.SpanId, of.Root.Span[:]) || !bytes.Equal(root.TraceId, of.Root.Trace[:]) || len(root.ParentSpanId) != 0 || root.StartTimeUnixNano != uint64(began.UnixNano()) || root.EndTimeUnixNano-root.StartTimeUnixNano != uint64(time.Hour) {
		t.Errorf("%v", root)
	}
	if !bytes.Equal(call.ParentSpanId, root.SpanId) || !bytes.Equal(call.TraceId, root.TraceId) || call.Status.Code != tracepb.Status_STATUS_CODE_ERROR || call.Kind != tracepb.Span_SPAN_KIND_CLIENT {
		t.Errorf("%v", call)
	}
	if got := attributes(call.Attributes); got != "tool.name=look gen_ai.tool.name=look tool.protocol=http gen_ai.operation.name=execute_tool pass_context=bool_value:true error.type=TIMEOUT" {
		t.Errorf("%s", got)
	}
}

// TestSampler: a run is sampled as the environment says, and as whoever starts it did.
func TestSampler(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
	c := otlptest.Start(t, nil)
	e, _ := begin(t, telemetry.Options{Traces: telemetry.Target{URL: c.URL + "/v1/traces"}})
	if of := trace.NewOrigin(trace.Context{}, e.Runs().Samples); of.Root.Sampled {
		t.Errorf("a run that begins a trace is sampled")
	}
	of := trace.NewOrigin(trace.Parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), e.Runs().Samples)
	spans := trace.Spans{To: e.Runs(), Origin: of, Now: time.Now}
	spans.Whole(trace.Run, time.Now(), time.Now(), "")
	closeWithin(e, 5*time.Second)
	if all := c.Spans(); len(all) != 1 || !bytes.Equal(all[0].ParentSpanId, of.Parent.Span[:]) {
		t.Errorf("%v", all)
	}
	var none *telemetry.Exporter
	if none.Runs() != nil {
		t.Error("without a collector something records")
	}
}

// TestNames holds the names of gen_ai to the published ones.
func TestNames(t *testing.T) {
	published := map[string]bool{}
	for _, key := range []attribute.Key{
		semconv.GenAIOperationNameKey, semconv.GenAIAgentIDKey, semconv.GenAIAgentNameKey, semconv.GenAIAgentVersionKey, semconv.GenAIProviderNameKey,
		semconv.GenAIRequestModelKey, semconv.GenAIUsageInputTokensKey, semconv.GenAIUsageOutputTokensKey, semconv.GenAIToolNameKey,
	} {
		published[string(key)] = true
	}
	operations := map[string]bool{}
	for _, known := range []attribute.KeyValue{semconv.GenAIOperationNameInvokeAgent, semconv.GenAIOperationNameChat, semconv.GenAIOperationNameExecuteTool} {
		operations[known.Value.AsString()] = true
	}
	own := map[string]bool{}
	for _, name := range strings.Fields("agent.id agent.name agent.version model.provider model.name llm.model llm.provider llm.input_tokens llm.output_tokens tool.name tool.protocol tool.endpoint memory.scope memory.backend target_agent.id pass_context") {
		own[name] = true // section 4.7
	}
	d := aaif.Definition{ID: "x"}
	d.Agent.Name, d.Agent.Version, d.Agent.Model.Provider, d.Agent.Model.Preferred = "x", "1", "openai", "m"
	found := 0
	for _, about := range [][]trace.Attribute{trace.AboutRun(d), trace.AboutModel("openai", "m"), trace.Tokens(1, 2), trace.AboutTool("t", aaif.Tool{Endpoint: "https://x"}), trace.AboutMemory("run", "in_memory"), trace.AboutHandoff("x", true)} {
		for _, a := range about {
			if strings.HasPrefix(a.Name, "gen_ai.") {
				found++
			}
			if !published[a.Name] && !own[a.Name] {
				t.Errorf("AAIF-11-8: %s is a name of nobody's", a.Name)
			}
			if a.Name == "gen_ai.operation.name" && !operations[a.Value.(string)] {
				t.Errorf("AAIF-11-8: %v is no operation", a.Value)
			}
		}
	}
	if found < 13 {
		t.Errorf("only %d attributes are of gen_ai", found)
	}
	for provider, want := range map[string]attribute.KeyValue{
		"openai": semconv.GenAIProviderNameOpenAI, "anthropic": semconv.GenAIProviderNameAnthropic, "google": semconv.GenAIProviderNameGCPGemini, "vertex_ai": semconv.GenAIProviderNameGCPVertexAI,
		"mistral": semconv.GenAIProviderNameMistralAI, "cohere": semconv.GenAIProviderNameCohere, "groq": semconv.GenAIProviderNameGroq, "azure_openai": semconv.GenAIProviderNameAzureAIOpenAI,
		"bedrock": semconv.GenAIProviderNameAWSBedrock, "deepseek": semconv.GenAIProviderNameDeepseek, "xai": semconv.GenAIProviderNameXAI,
	} {
		for _, a := range trace.AboutModel(provider, "m") {
			if a.Name == string(want.Key) && a.Value != want.Value.AsString() {
				t.Errorf("AAIF-11-8: %s is %v, want %s", provider, a.Value, want.Value.AsString())
			}
		}
	}
	if string(semconv.ErrorTypeKey) != "error.type" {
		t.Errorf("the failure of a span has another name: %s", semconv.ErrorTypeKey)
	}
}
