package fakemodel_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// What providers refuse is refused, so that a test cannot pass with it.
func TestRefusals(t *testing.T) {
	_, address := fakemodel.Start(t, model.Step{Answer: "fine", Times: 99})
	const hello = `{"role":"user","content":"hello"}`
	for _, c := range []struct {
		name, path, body, want string
		status                 int
	}{
		{"a good one", "/v1/chat/completions", `{"messages":[` + hello + `]}`, "fine", 200},
		{"a result without its call", "/v1/chat/completions", `{"messages":[` + hello + `,{"role":"tool","tool_call_id":"a","content":"x"}]}`, "a result without its call: a", 400},
		{"a call without a result", "/chat/completions", `{"messages":[{"role":"assistant","tool_calls":[{"id":"a"}]},` + hello + `]}`, "a call without a result: a", 400},
		{"no result at the end", "/chat/completions", `{"messages":[{"role":"assistant","tool_calls":[{"id":"a"}]}]}`, "a call without a result: a", 400},
		{"no message", "/chat/completions", `{"messages":[]}`, "there is no message", 400},
		{"no JSON", "/chat/completions", `{"messages":[`, "error", 400},
		{"no most tokens", "/v1/messages", `{"messages":[` + hello + `]}`, "max_tokens", 400},
		{"the assistant speaks first", "/v1/messages", `{"max_tokens":1,"messages":[{"role":"assistant","content":"x"}]}`, "the user speaks first", 400},
		{"the model speaks first", "/v1beta/models/m:generateContent", `{"contents":[{"role":"model","parts":[{"text":"x"}]}]}`, "the user speaks first", 400},
		{"a stream unless it is refused", "/api/chat", `{"messages":[` + hello + `]}`, "}\n{", 200},
		{"another path", "/v1/embeddings", `{}`, "404", 404},
		{"another verb", "/v1beta/models/m:countTokens", `{}`, "404", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := http.Post(address+c.path, "application/json", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if said, _ := io.ReadAll(got.Body); got.StatusCode != c.status || !strings.Contains(string(said), c.want) {
				t.Errorf("%d: %s", got.StatusCode, said)
			}
		})
	}
}

// Steps are used up once, however many ask at the same time.
func TestConcurrent(t *testing.T) {
	server, address := fakemodel.Start(t, model.Step{Answer: "first", Times: 20}, model.Step{Answer: "then", Times: 20})
	client := model.New(model.Options{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	said := map[string]int{}
	for range 50 {
		wg.Go(func() {
			a, _, err := client.Ask(t.Context(), model.Endpoint{Provider: "x", Wire: model.OpenAI, BaseURL: address}, model.Request{Model: "m", Messages: []aaif.Message{{Role: "user", Content: "hello"}}})
			mu.Lock()
			defer mu.Unlock()
			if failed, ok := errors.AsType[*model.Error](err); err == nil && a.Stop != model.StopEnd || err != nil && (!ok || failed.Status != 400) {
				t.Error(a, err)
			}
			said[a.Text]++
		})
	}
	wg.Wait()
	if said["first"] != 20 || said["then"] != 20 || said[""] != 10 || len(server.Requests()) != 50 {
		t.Error(said)
	}
}

// Every reason to stop comes over in every wire's words.
func TestStops(t *testing.T) {
	for want, said := range map[string]string{model.StopEnd: "", model.StopLength: model.StopLength, model.StopCalls: "", model.StopFilter: "SAFETY"} {
		step := model.Step{Answer: "x", Stop: said, Times: 9}
		if want == model.StopCalls {
			step.Calls = []model.ScriptCall{{Tool: "t"}}
		}
		_, address := fakemodel.Start(t, step)
		for _, e := range []model.Endpoint{{Provider: "x", Wire: model.OpenAI, BaseURL: address}, {Provider: "anthropic", Wire: model.Anthropic, BaseURL: address + "/v1"},
			{Provider: "google", Wire: model.Gemini, BaseURL: address}, {Provider: "ollama", Wire: model.Ollama, BaseURL: address + "/api"}} {
			for _, stream := range []bool{false, true} {
				a, _, err := model.New(model.Options{}).Ask(t.Context(), e, model.Request{Model: "m", Stream: stream, Messages: []aaif.Message{{Role: "user", Content: "hello"}}})
				if err != nil || a.Stop != want {
					t.Errorf("%s %v: %q, %v; want %q", e.Wire, stream, a.Stop, err, want)
				}
			}
		}
	}
}

// A script in a file answers over HTTP as it does in the process that asks.
func TestFile(t *testing.T) {
	const file = `{"turn":0,"calls":[{"tool":"pay","arguments":{"amount":12}}]}` + "\n" + `{"turn":1,"answer":"Paid."}`
	script, err := model.ReadScript(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(fakemodel.New(script))
	defer server.Close()
	over := model.Providers{Client: model.New(model.Options{}), Keys: noKeys{}, Operator: route.Operator{Providers: []route.Provider{{Name: "x", BaseURL: server.URL}}}}
	within, err := model.ReadScript(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r := model.Request{CallPrefix: "call_0_", Messages: []aaif.Message{{Role: "user", Content: "hello"}}}
	to := route.Candidate{Target: route.Target{Provider: "x", Model: "m"}}
	for range 2 {
		a, _, err := over.Ask(t.Context(), to, r)
		b, _, err2 := within.Ask(t.Context(), to, r)
		if diff := cmp.Diff(a, b, cmp.Comparer(canon.Equal)); err != nil || err2 != nil || diff != "" {
			t.Fatal(err, err2, diff)
		}
		r.Messages = append(r.Messages, aaif.CallMessages(a.Text, a.Calls, time.Time{})...)
		r.Messages = append(r.Messages, aaif.Message{Role: "tool", Content: "done", CallID: "call_0_0", Tool: "pay"})
	}
}

type noKeys struct{}

func (noKeys) Key(string) (string, error) { return "", nil }
