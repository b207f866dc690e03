package host_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/telemetry"
	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestCollector: where the spans of a run go.
func TestCollector(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		telemetry string // AT stands for the definition's collector
		more      string
		listed    []host.Collector
		there     bool // the definition's collector gets the spans
		noted     string
	}{
		{"AAIF-4.7-7 the collector of the definition", `"otlp_endpoint":"AT"`, ``, []host.Collector{{Host: "127.0.0.1"}}, true, ""},
		{"AAIF-4.7-7 without one, that of the server", ``, ``, []host.Collector{{Host: "127.0.0.1"}}, false, ""},
		{"AAIF-4.7-8 a host that the operator does not list", `"otlp_endpoint":"AT"`, ``, []host.Collector{{Host: "otel.example"}}, false, "the operator lists no collector 127.0.0.1"},
		{"AAIF-4.7-8 in another region", `"otlp_endpoint":"AT"`, `,"compliance":{"data_residency":"EU"}`, []host.Collector{{Host: "127.0.0.1", Regions: []string{"US"}}}, false, "127.0.0.1: residency"},
		{"AAIF-4.7-8 in a region that nobody knows", `"otlp_endpoint":"AT"`, `,"compliance":{"data_residency":"EU"}`, []host.Collector{{Host: "127.0.0.1"}}, false, "127.0.0.1: residency"},
		{"AAIF-4.7-8 in the region", `"otlp_endpoint":"AT"`, `,"compliance":{"data_residency":"EU"}`, []host.Collector{{Host: "127.0.0.1", Regions: []string{"EU"}}}, true, ""},
		{"AAIF-4.7-8 no address", `"otlp_endpoint":"file:///etc/passwd"`, ``, []host.Collector{{Host: "127.0.0.1"}}, false, "no address"},
		{"AAIF-3-6 no spans anywhere", `"otlp_endpoint":"AT","tracing":false`, ``, []host.Collector{{Host: "127.0.0.1"}}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := otlptest.Start(t, nil)
			p, own := traced(t, model.Step{Answer: "Done."})
			p.options.Settings.Collectors = c.listed
			p.Host = host.New(p.options)
			p.take(strings.ReplaceAll(`"telemetry":{`+c.telemetry+`}`+c.more, "AT", at.URL))
			p.begin(p.Ctx)
			if r := p.goOn(); r.Output != "Done." {
				t.Fatalf("the run does not work: %s %+v", r.Status, r.Err)
			}
			p.Host.Close(p.Ctx)
			want := map[bool]int{true: 2}[c.there]
			if got := at.Spans(); len(got) != want || want == 0 && len(at.Requests()) > 0 {
				t.Errorf("the collector of the definition gets %v", got)
			}
			if got := len(own.all); !strings.Contains(c.telemetry, "tracing") && got != 2-want || got > 2 {
				t.Errorf("the collector of the server gets %d", got)
			}
			var notes []string
			events, err := p.Events(p.Ctx, p.Me(), runID, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Code == "telemetry.endpoint" {
					notes = append(notes, e.Text)
				}
			}
			if got := strings.Join(notes, "\n"); len(notes) > 1 || (got == "") != (c.noted == "") || !strings.Contains(got, c.noted) {
				t.Errorf("noted %q", notes)
			}
		})
	}
}

// TestClosedHost: a run that ends after its host was closed opens no connection to a collector.
func TestClosedHost(t *testing.T) {
	t.Parallel()
	at := otlptest.Start(t, nil)
	p, _ := traced(t, model.Step{Answer: "Done."})
	p.options.Settings.Collectors = []host.Collector{{Host: "127.0.0.1"}}
	p.Host = host.New(p.options)
	p.take(`"telemetry":{"otlp_endpoint":"` + at.URL + `"}`)
	p.begin(p.Ctx)
	p.Host.Close(p.Ctx)
	if r := p.goOn(); r.Output != "Done." {
		t.Fatalf("the run does not work: %s %+v", r.Status, r.Err)
	}
	p.Host.Close(p.Ctx)
	if got := at.Spans(); len(got) > 0 {
		t.Errorf("the collector gets %v", got)
	}
}

// TestCachedAndTraced: a run whose tool is called twice with the same arguments calls it once,
// and is a trace at the collector of its definition. That nothing becomes active without an
// evaluation shows the script agent_eval.
func TestCachedAndTraced(t *testing.T) {
	t.Parallel()
	at := otlptest.Start(t, nil)
	p, _ := traced(t, asks("look"), asks("look"), model.Step{Answer: "Done."})
	p.options.Settings.Collectors = []host.Collector{{Host: "127.0.0.1"}}
	p.Host = host.New(p.options)
	p.intake(strings.NewReplacer(`"name":"pay"`, `"name":"look","cache_ttl_seconds":60`, "/call/pay", "/call/look",
		`"tools":[`, `"telemetry":{"otlp_endpoint":"`+at.URL+`"},"tools":[`).Replace(clerk(p)))
	p.begin(p.Ctx)
	r := p.goOn()
	p.Host.Close(p.Ctx)
	t.Run("AAIF-U.I-3 one call, and a trace", func(t *testing.T) {
		if r.Output != "Done." || r.Iteration != 3 || p.tools.Counts()["look"].Calls != 1 || len(at.Spans()) == 0 {
			t.Errorf("%s %q %+v, %d turns, %v, %d spans", r.Status, r.Output, r.Err, r.Iteration, p.tools.Counts(), len(at.Spans()))
		}
	})
}

// TestCachedOperation: an operation of a description of OpenAPI is called once for the same
// arguments, and each answer to the model is a call in the trace.
func TestCachedOperation(t *testing.T) {
	t.Parallel()
	p, s := traced(t, asks("books__list"), asks("books__list"), model.Step{Answer: "Done."})
	folder := t.TempDir()
	description := `{"openapi":"3.0.3","info":{"title":"Books","version":"1"},"servers":[{"url":"` + p.toolsAt + `/call"}],"paths":{"/look":{"get":{"operationId":"list",` +
		`"parameters":[{"name":"n","in":"query","schema":{"type":"number"}}]}}}}`
	if err := os.WriteFile(filepath.Join(folder, "books.json"), []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	p.options.Settings.Folder = folder
	p.options.Settings.Tools.Grants = append(p.options.Settings.Tools.Grants, tool.Grant{Agent: agentID, Tools: []string{"books"}})
	p.Host = host.New(p.options)
	raw := clerk(p)
	p.intake(raw[:strings.Index(raw, `"tools":[`)] + `"tools":[{"name":"books","description":"Lists books.","protocol":"openapi","endpoint":"books.json","cache_ttl_seconds":60}]}}`)
	p.begin(p.Ctx)
	r := p.goOn()
	t.Run("AAIF-4.4-25 one call", func(t *testing.T) {
		if n := p.tools.Counts()["look"].Calls; r.Output != "Done." || n != 1 {
			t.Errorf("%s %q %+v: %d calls", r.Status, r.Output, r.Err, n)
		}
	})
	t.Run("AAIF-4.7-3 two spans of the operation", func(t *testing.T) {
		got := s.tree()
		if n := strings.Count(got, "aaif.agent.tool_call tool.name=books__list gen_ai.tool.name=books__list tool.protocol=openapi tool.endpoint=books.json"); n != 2 || len(s.traces()) != 1 {
			t.Errorf("%d spans in\n%s", n, got)
		}
	})
}

func TestReadCollectors(t *testing.T) {
	read := func(raw string) ([]host.Collector, error) {
		v, err := canon.Parse([]byte(raw), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return host.ReadCollectors(v)
	}
	all, err := read(`{"collectors":[{"hosts":["otel.example","127.0.0.1"],"regions":["EU"]},{"hosts":["other.example"]}]}`)
	if err != nil || len(all) != 3 || all[1].Host != "127.0.0.1" || all[1].Regions[0] != "EU" || all[2].Regions != nil {
		t.Errorf("%+v %v", all, err)
	}
	for _, raw := range []string{`{"collector":[]}`, `{"collectors":[{}]}`, `{"collectors":[{"hosts":["a.example"]},{"hosts":["a.example"]}]}`, `{"collectors":[{"hosts":["https://a.example"]}]}`, `{"collectors":[{"hosts":["a.example"],"key":"x"}]}`} {
		if _, err := read(raw); err == nil || !strings.Contains(err.Error(), "AAIF-4.7-8") {
			t.Errorf("%s: %v", raw, err)
		} else if _, ok := err.(*codec.ParseError); !ok {
			t.Errorf("%s: %T", raw, err)
		}
	}
}

// The canaries: an address and a secret in everything that people, models and tools write.
const (
	plantedPerson = "ana.planted@example.org"
	plantedKey    = "sk-planted4f9a8b7c6d5e4f3a2b1c0d9e8f7a"
)

// TestNothingLeaks: no exported byte holds what people, models or tools wrote, nor a secret of
// an address or of a header.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	at := otlptest.Start(t, nil)
	e, err := telemetry.Start(telemetry.Options{Traces: telemetry.Target{URL: at.URL + "/v1/traces"}, Metrics: telemetry.Target{URL: at.URL + "/v1/metrics"}})
	if err != nil {
		t.Fatal(err)
	}
	planted := plantedPerson + " " + plantedKey
	arguments, err := json.Marshal(map[string]string{"text": planted, plantedPerson: plantedKey})
	if err != nil {
		t.Fatal(err)
	}
	steps := script(
		model.Step{Answer: "I ask " + planted, Calls: []model.ScriptCall{{ID: "call " + planted, Tool: "pay", Arguments: arguments}, {ID: "2", Tool: planted, Arguments: arguments}, {ID: "3", Tool: "file", Arguments: arguments}}},
		model.Step{Status: 400, Message: planted},
	)
	p := open(t, vaulttest.Open(t), steps...)
	p.tools.SetFault("pay", faketool.Fault{Kind: faketool.AnswerAlways, Answer: planted})
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte(planted), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &p.options.Settings
	o.Files = os.DirFS(folder)
	o.Tools.Functions = []tool.Function{{Name: "file", Program: tool.Program{Command: faketool.Command(faketool.FunctionFails, filepath.Join(folder, "lines"))}}}
	o.Tools.Secrets = []tool.Secret{{Env: "KEY", Hosts: []string{"127.0.0.1"}}}
	o.Env = func(string) (string, bool) { return plantedKey, true }
	o.Rules = []policy.Rule{}
	p.options.Spans = e.Runs()
	p.Host = host.New(p.options)
	p.intake(strings.NewReplacer(`"name":"Clerk"`, `"name":"Clerk of `+plantedPerson+`"`, `"goal":"Book."`, `"goal":"Book for `+plantedPerson+`."`, `"tools":[`,
		`"description":"`+plantedPerson+`","compliance":{"pii_handling":"anonymize"},"telemetry":{"trace_context_header":"`+plantedPerson+`"},"tools":[{"name":"file","description":"`+plantedPerson+`","protocol":"function","parameters_schema":{"type":"object"}},`,
		`/call/pay"`, `/call/pay?who=`+plantedPerson+`#`+plantedPerson+`","auth":{"type":"bearer","env_var":"KEY"}`, `{"n":{"type":"number"}}`, `{"text":{"type":"string"}}`).Replace(clerk(p)))
	if _, err := p.Host.Start(trace.With(p.Ctx, trace.Parse(incoming)), p.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("Book for " + planted), Variables: canon.Object(canon.Member{Name: "who", Value: canon.String(planted)})}); err != nil {
		t.Fatal(err)
	}
	r := p.goOn()
	if r.Status != aaif.Failed || p.tools.Counts()["pay"].Calls != 1 {
		t.Fatalf("it goes another way: %s %+v %v", r.Status, r.Err, p.tools.Counts())
	}
	e.Measure(func(context.Context) []metric.Family { return p.Measured() })
	e.Close(p.Ctx)
	t.Run("AAIF-4.7-12 no text of anybody leaves", func(t *testing.T) {
		all := bytes.ToLower(at.Bytes())
		if n := len(at.Spans()); n != 5 || !bytes.Contains(all, []byte("aaif_agent_tool_calls_total")) {
			t.Fatalf("%d spans: %v", n, at.Spans())
		}
		for _, canary := range []string{"planted", "example.org", "no such account", base64.StdEncoding.EncodeToString([]byte(plantedKey))} {
			if i := bytes.Index(all, []byte(strings.ToLower(canary))); i >= 0 {
				t.Errorf("%s left: %q", canary, all[max(0, i-80):min(len(all), i+80)])
			}
		}
		for _, r := range at.Requests() {
			if strings.Contains(strings.ToLower(head(r)), "planted") {
				t.Errorf("a header has it: %s", head(r))
			}
		}
	})
}

func head(r *http.Request) string {
	var b bytes.Buffer
	_ = r.Header.Write(&b) // into memory
	return r.URL.String() + "\n" + b.String()
}
