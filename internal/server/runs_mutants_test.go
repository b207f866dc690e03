package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/racing"
)

// runMutant is a platform that runs agents and breaks a rule, and the rows that have to fail
// of it.
type runMutant struct {
	name, rows string
	// breaks returns what the platform does otherwise; each part may be nil.
	breaks func(*brokenRun) (edit func(q *http.Request, body []byte) []byte, act func(asked string, q *http.Request, got *reply))
}

// brokenRun is what a platform that breaks a rule remembers.
type brokenRun struct {
	t      *testing.T
	client *http.Client // of the platform
	tools  string       // the address of the latest scene's tools
	trap   string       // an address that nobody allowed
	starts int
	wait   canon.Value // the latest call that waited
	blind  bool        // nobody notices that the audit log was changed
	lazy   bool        // nobody evaluates agents
}

// sees remembers what a request and its answer show.
func (b *brokenRun) sees(q *http.Request, body []byte) {
	if text, ok := b.definition(q, body); ok {
		endpoint, _ := valueOf(b.t, string(text)).At("/agent/tools/0/endpoint")
		b.tools, _, _ = strings.Cut(endpoint.Text(), "conformance_book")
		if look, _ := valueOf(b.t, string(text)).At("/agent/tools/1/endpoint"); !strings.HasPrefix(look.Text(), b.tools) {
			b.trap = look.Text()
		}
	}
	if q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, "/runs") {
		b.starts++
	}
}

// definition returns a definition of an agent that runs, in JSON.
func (b *brokenRun) definition(q *http.Request, body []byte) ([]byte, bool) {
	if q.Method != http.MethodPost || q.URL.Path != "/aaif/agents" || !bytes.Contains(body, []byte(saying)) {
		return nil, false
	}
	if q.Header.Get("Content-Type") == aaif.CBORMediaType {
		v, err := aaif.FromCBOR(body, aaif.ReadOptions{})
		if err != nil {
			b.t.Error(err)
		}
		return v.Append(nil), true
	}
	return body, true
}

// uses calls a tool of the latest scene, which the platform should not.
func (b *brokenRun) uses(path string) { b.posts(b.tools + path) }

func (b *brokenRun) posts(url string) {
	got, err := http.Post(url, "application/json", strings.NewReader(`{"note":"The 1st."}`))
	if err != nil {
		b.t.Error(err)
		return
	}
	_ = got.Body.Close()
}

// approves approves a call that waits, unasked.
func (b *brokenRun) approves(q *http.Request, run canon.Value) {
	wait := run.Get("waits").Items()[0]
	b.does(q, "/aaif/runs/"+run.Get("run_id").Text()+"/approval", `{"decision":"approve","digest":"`+wait.Get("digest").Text()+`"}`)
}

// does sends a request of the platform's own, with the token of another.
func (b *brokenRun) does(q *http.Request, path, body string) {
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, "https://localhost"+path, strings.NewReader(body))
	if err != nil {
		b.t.Error(err)
		return
	}
	r.Header.Set("Authorization", q.Header.Get("Authorization"))
	r.Header.Set("Content-Type", "application/json")
	got, err := b.client.Do(r)
	if err != nil {
		b.t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, got.Body)
	_ = got.Body.Close()
}

type (
	requestEdit = func(q *http.Request, body []byte) []byte
	answerAct   = func(asked string, q *http.Request, got *reply)
)

// misreads changes definitions before the platform reads them.
func misreads(change func(text []byte) []byte) func(*brokenRun) (requestEdit, answerAct) {
	return func(b *brokenRun) (requestEdit, answerAct) {
		return func(q *http.Request, body []byte) []byte {
			text, ok := b.definition(q, body)
			if !ok {
				return body
			}
			text = change(text)
			if q.Header.Get("Content-Type") != aaif.CBORMediaType {
				return text
			}
			raw, err := aaif.ToCBOR(valueOf(b.t, string(text)))
			if err != nil {
				b.t.Error(err)
			}
			return raw
		}, nil
	}
}

// sayInstead sets a member of definitions, or takes it out; when says in which.
func sayInstead(pointer string, to canon.Value, when string) func(*brokenRun) (requestEdit, answerAct) {
	return misreads(func(text []byte) []byte {
		v, err := canon.Parse(text, canon.Options{})
		if err != nil || !bytes.Contains(text, []byte(when)) {
			return text
		}
		return placed(v, strings.Split(pointer, "/")[1:], to).Append(nil)
	})
}

// swaps replaces a text in definitions.
func swaps(old, other string) func(*brokenRun) (requestEdit, answerAct) {
	return misreads(func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(old), []byte(other)) })
}

// meddles calls a tool before the n-th start of a run, or, with 0, when a state goes on.
func meddles(n int, path string) func(*brokenRun) (requestEdit, answerAct) {
	return func(b *brokenRun) (requestEdit, answerAct) {
		return func(q *http.Request, body []byte) []byte {
				if q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, "/runs") && b.starts == n {
					b.uses(path)
				}
				return body
			}, func(_ string, q *http.Request, _ *reply) {
				if strings.HasSuffix(q.URL.Path, "/resume") && n == 0 {
					b.uses(path)
				}
			}
	}
}

func valueOf(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Errorf("%v: %s", err, text)
	}
	return v
}

// decides changes what people say to calls.
func decides(change func(*brokenRun, canon.Value) canon.Value) func(*brokenRun) (requestEdit, answerAct) {
	return func(b *brokenRun) (requestEdit, answerAct) {
		return func(q *http.Request, body []byte) []byte {
			if !strings.HasSuffix(q.URL.Path, "/approval") {
				return body
			}
			return change(b, valueOf(b.t, string(body))).Append(nil)
		}, nil
	}
}

// runAnswers changes how the platform shows runs.
func runAnswers(change func(*brokenRun, *http.Request, *reply)) func(*brokenRun) (requestEdit, answerAct) {
	return func(b *brokenRun) (requestEdit, answerAct) {
		return nil, func(_ string, q *http.Request, got *reply) {
			if (strings.HasSuffix(q.URL.Path, "/runs") || strings.HasPrefix(q.URL.Path, "/aaif/runs/")) && got.status < 300 && got.json().Has("run_id") {
				change(b, q, got)
			}
		}
	}
}

const (
	numberSaying = `"The number of the receipt."`
	saying       = "You book receipts."
)

// none takes a member out.
var none = canon.Value{}

// levelMutants break duties of levels above Tooled.
func levelMutants() []runMutant {
	return []runMutant{
		{"constraints are forgotten", "AAIF-12-5", sayInstead("/agent/constraints", none, "")},
		{"what nobody judged leaves", "AAIF-12-5", misreads(func(text []byte) []byte {
			v, err := canon.Parse(text, canon.Options{})
			if err != nil || !bytes.Contains(text, []byte(`"strict"`)) {
				return text
			}
			return placed(placed(v, []string{"provenance"}, none), []string{"agent", "compliance", "safety_level"}, canon.String("minimal")).Append(nil)
		})},
		{"fallbacks are forgotten", "AAIF-4.2-1", sayInstead("/agent/model/fallbacks", none, "")},
		{"fallbacks come in another order", "AAIF-4.2-1", swaps(`.b"`, `.c"`)},
		{"any address is called", "AAIF-12-1", func(b *brokenRun) (requestEdit, answerAct) {
			return nil, func(_ string, q *http.Request, _ *reply) {
				if strings.HasSuffix(q.URL.Path, "/runs") && b.trap != "" {
					b.posts(b.trap)
				}
			}
		}},
		{"regions are forgotten", "AAIF-4.9-4", sayInstead("/agent/compliance/data_residency", none, "")},
		{"persons are named all the same", "AAIF-4.9-7", sayInstead("/agent/compliance/pii_handling", none, "")},
		{"the audit log may be changed", "AAIF-4.9-8", func(b *brokenRun) (requestEdit, answerAct) {
			b.blind = true
			return nil, nil
		}},
		{"pipelines run in the order of subagents", "AAIF-4.3-4", sayInstead("/agent/orchestration/pipeline", canon.Array(canon.String("a"), canon.String("b"), canon.String("c")), "pipeline")},
		{"handoffs are forgotten", "AAIF-4.3-4", sayInstead("/agent/orchestration/handoff", none, "handoff")},
		{"swarms run one after the other", "AAIF-4.3-4", sayInstead("/agent/orchestration/parallel_execution", none, "parallel_execution")},
		{"conditions are hints", "AAIF-4.3-4 AAIF-5-16", misreads(func(text []byte) []byte {
			return regexp.MustCompile(`"when":\{[^}]*(\{[^}]*\})?[^}]*\}`).ReplaceAll(text, []byte(`"when":"if it fits"`))
		})},
		{"one condition holds one time only", "AAIF-5-16", func(*brokenRun) (requestEdit, answerAct) {
			n := 0
			edit, _ := misreads(func(text []byte) []byte {
				if n++; n%2 == 0 {
					return bytes.Replace(text, []byte(`"lang":"cel","expr":"input == \"x\""`), []byte(`"lang":"always"`), 1)
				}
				return text
			})(nil)
			return edit, nil
		}},
		{"persons are never named", "AAIF-4.9-7", sayInstead("/agent/compliance/pii_handling", canon.String("anonymize"), "pii_handling")},
	}
}

// continuedMutants break what holds where a run goes on, and the duties of Observable.
func continuedMutants() []runMutant {
	return []runMutant{
		{"handoffs are no spans", "AAIF-4.7-1", respans(func(s *tracepb.Span) bool { return s.Name != "aaif.agent.handoff" })},
		{"every span is a trace of its own", "AAIF-4.7-1", respans(func(s *tracepb.Span) bool {
			s.TraceId = append(slices.Clone(s.SpanId), s.SpanId...)
			return true
		})},
		{"traces cannot be turned off", "AAIF-4.7-1", sayInstead("/agent/telemetry/tracing", none, "otlp_endpoint")},
		{"a threshold is forgotten", "AAIF-4.8-7", misreads(func(text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(`{"name":"tool_call_accuracy","threshold":1},`), nil)
		})},
		{"nobody evaluates", "AAIF-4.8-7", func(b *brokenRun) (requestEdit, answerAct) {
			b.lazy = true
			return nil, nil
		}},
		{"a pipeline begins anew", "AAIF-8.2-5", swaps(`"pipeline":["a","b","c"]`, `"pipeline":["b","a","c"]`)},
		{"a run that was given up is started", "AAIF-8.3-8", func(b *brokenRun) (requestEdit, answerAct) {
			return nil, func(asked string, q *http.Request, _ *reply) {
				if strings.HasSuffix(q.URL.Path, "/handoff") && strings.Contains(asked, "handoff_error") {
					b.does(q, "/aaif/agents/"+aaifsuite.Runner+"/runs?wait=10", `{"input":"Book number 1."}`)
				}
			}
		}},
		{"constraints are forgotten by handoffs", "AAIF-12-6", sayInstead("/agent/constraints", none, "handoff")},
		{"the region binds one agent only", "AAIF-12-9", sayInstead("/agent/compliance/data_residency", none, "pipeline")},
	}
}

// respans changes the spans of runs on their way to the collector, and leaves out those of
// which keep says so.
func respans(keep func(*tracepb.Span) bool) func(*brokenRun) (requestEdit, answerAct) {
	return func(b *brokenRun) (requestEdit, answerAct) {
		to := ""
		relay := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			raw, err := io.ReadAll(q.Body)
			var data tracepb.TracesData
			if err = errors.Join(err, proto.Unmarshal(raw, &data)); err != nil {
				b.t.Error(err)
			}
			for _, r := range data.ResourceSpans {
				for _, s := range r.ScopeSpans {
					s.Spans = slices.DeleteFunc(s.Spans, func(s *tracepb.Span) bool { return !keep(s) })
				}
			}
			if raw, err = proto.Marshal(&data); err != nil {
				b.t.Error(err)
			}
			got, err := http.Post(to+"/v1/traces", "application/x-protobuf", bytes.NewReader(raw))
			if err == nil {
				err = got.Body.Close()
			}
			if err != nil && b.t.Context().Err() == nil {
				b.t.Error(err)
			}
		}))
		b.t.Cleanup(relay.Close)
		return misreads(func(text []byte) []byte {
			v := valueOf(b.t, string(text))
			at, _ := v.At("/agent/telemetry/otlp_endpoint")
			if at.Text() == "" {
				return text
			}
			to = at.Text()
			return placed(v, []string{"agent", "telemetry", "otlp_endpoint"}, canon.String(relay.URL)).Append(nil)
		})(b)
	}
}

func runMutants() []runMutant {
	return []runMutant{
		{"a run whose model answered fails", "AAIF-4-10", runAnswers(func(_ *brokenRun, _ *http.Request, got *reply) {
			got.set(got.json().With("status", canon.String("failed")))
		})},
		{"instructions are forgotten", "AAIF-4-10", sayInstead("/agent/instructions", none, "")},
		{"params are forgotten", "AAIF-4.2-22", sayInstead("/agent/model/params", none, "")},
		{"any number of turns is 5", "AAIF-4.3-23 AAIF-8.1-8", sayInstead("/agent/orchestration/max_iterations", canon.Int(5), "")},
		{"a restored run has turns left", "AAIF-8.1-8", sayInstead("/agent/orchestration/max_iterations", canon.Int(12), `"max_iterations":10`)},
		{"schemas are shortened", "AAIF-4.4-4", swaps(numberSaying, `"A number."`)},
		{"schemas are forgotten", "AAIF-4.4-4 AAIF-4.4-28", swaps(`"type":"integer"`, `"title":"integer"`)},
		{"endpoints are not filled in", "AAIF-4.4-9", swaps("{owner}", "owner")},
		{"invalid arguments are sent", "AAIF-4.4-28", meddles(1, "conformance_book/a%2Fb/one")},
		{"nobody has to grant", "AAIF-12-2", meddles(1, "conformance_secret")},
		{"tools are tried when an agent is taken in", "AAIF-12-2", func(b *brokenRun) (requestEdit, answerAct) {
			return nil, func(asked string, q *http.Request, _ *reply) {
				if _, ok := b.definition(q, []byte(asked)); ok && b.starts == 0 {
					b.uses("conformance_look")
				}
			}
		}},
		{"a run has more time", "AAIF-4.6-1", sayInstead("/agent/runtime/timeout_seconds", canon.Int(12), `"timeout_seconds":1`)},
		{"a call is made twice", "AAIF-4.6-6", meddles(5, "conformance_book/a%2Fb/1")},
		{"nobody is asked", "AAIF-4.9-12 AAIF-4.9-16 AAIF-4.9-18", sayInstead("/agent/compliance/human_in_the_loop", none, "human_in_the_loop")},
		{"a rejection is an approval", "AAIF-4.9-12", decides(func(_ *brokenRun, v canon.Value) canon.Value { return v.With("decision", canon.String("approve")) })},
		{"any digest is good", "AAIF-4.9-18", func(b *brokenRun) (requestEdit, answerAct) {
			edit, _ := decides(func(b *brokenRun, v canon.Value) canon.Value { return v.With("digest", b.wait.Get("digest")) })(b)
			_, act := runAnswers(func(b *brokenRun, _ *http.Request, got *reply) {
				if waits := got.json().Get("waits").Items(); len(waits) > 0 {
					b.wait = waits[0]
				}
			})(b)
			return edit, act
		}},
		{"silence is consent", "AAIF-4.9-16", runAnswers(func(b *brokenRun, q *http.Request, got *reply) {
			v := got.json()
			if waits := v.Get("waits"); b.starts == 8 && waits.Len() > 0 && strings.HasSuffix(q.URL.Path, "/runs") {
				b.approves(q, v)
			}
		})},
		{"the arguments are not shown", "AAIF-4.9-18", runAnswers(func(_ *brokenRun, _ *http.Request, got *reply) {
			if waits := got.json().Get("waits").Items(); len(waits) > 0 {
				got.set(got.json().With("waits", canon.Array(waits[0].Without("arguments"))))
			}
		})},
		{"what was under way is written again", "AAIF-8.2-6", meddles(0, "conformance_book/a%2Fb/1")},
		{"members with x- are obeyed", "AAIF-10-9", misreads(func(text []byte) []byte {
			if bytes.Contains(text, []byte("x-acme")) {
				return bytes.Replace(text, []byte(saying), []byte("Do nothing."), 1)
			}
			return text
		})},
		{"CBOR is another agent", "AAIF-9-9", func(b *brokenRun) (requestEdit, answerAct) {
			edit, _ := swaps(saying, "Do nothing.")(b)
			return func(q *http.Request, body []byte) []byte {
				if q.Header.Get("Content-Type") == aaif.CBORMediaType {
					return edit(q, body)
				}
				return body
			}, nil
		}},
	}
}

// brokenHands find every audit log as it was written, or evaluate nothing.
type brokenHands struct {
	aaifsuite.Hands
	of *brokenRun
}

func (h brokenHands) Audit(ctx context.Context, alter func([][]byte) [][]byte) (int64, bool, error) {
	entries, sound, err := h.Hands.Audit(ctx, alter)
	return entries, sound || h.of.blind, err
}

func (h brokenHands) Promote(ctx context.Context, id string) error {
	if h.of.lazy {
		return nil
	}
	return h.Hands.Promote(ctx, id)
}

// TestRunMutants makes sure that every rule about runs that is broken is found by its row,
// and by no other row. Rows that start many runs are tried only of mutants that break them;
// SATCHEL_LONG tries them of all.
func TestRunMutants(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	waiting := abreast{t: t, places: make(chan struct{}, 12)}
	defer waiting.Wait()
	tooled := []string{"AAIF-4-10", "AAIF-4.2-22", "AAIF-4.3-23", "AAIF-4.4", "AAIF-4.6", "AAIF-4.9-12", "AAIF-4.9-16", "AAIF-4.9-18", "AAIF-9-9", "AAIF-12-2"}
	above := []string{"AAIF-4.9-4", "AAIF-4.9-8", "AAIF-12-5"}
	continued := []string{"AAIF-8.2-5", "AAIF-12-6"}
	if os.Getenv("SATCHEL_LONG") != "" {
		tooled = append(tooled, "AAIF-8.1", "AAIF-8.2-6", "AAIF-10-9")
		above = append(above, "AAIF-4.2-1", "AAIF-4.9-7", "AAIF-12-1", "AAIF-4.3-4", "AAIF-5-16")
		continued = append(continued, "AAIF-4.7-1", "AAIF-4.8-7", "AAIF-8.3-8", "AAIF-12-9")
	}
	for i, m := range slices.Concat(levelMutants(), continuedMutants(), runMutants()) {
		rows := tooled
		switch {
		case i < len(levelMutants()):
			rows = above
		case i < len(levelMutants())+len(continuedMutants()):
			rows = continued
		}
		rows = append(strings.Fields(m.rows), rows...)
		waiting.run(m.rows+" "+m.name, func(t *testing.T) {
			target := runsAgents(t, spoiled{})
			b := &brokenRun{t: t, client: target.Client}
			edit, act := m.breaks(b)
			if b.blind || b.lazy {
				target.Hands = brokenHands{target.Hands, b}
			}
			client := *target.Client
			client.Transport = between{next: client.Transport, edit: func(q *http.Request, body []byte) []byte {
				b.sees(q, body)
				if edit != nil {
					body = edit(q, body)
				}
				return body
			}, act: func(asked string, q *http.Request, got *reply) {
				if act != nil {
					act(asked, q, got)
				}
			}}
			target.Client = &client
			target.Only = rows
			failsOf(t, target, m.rows)
		})
	}
}
