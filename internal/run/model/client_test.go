package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/model"
)

const key = "sk-secret-5f1c02aa"

// wires returns an endpoint for each wire at an address.
func wires(address string) []model.Endpoint {
	return []model.Endpoint{
		{Provider: "acme", Wire: model.OpenAI, BaseURL: address + "/v1", Key: key},
		{Provider: "anthropic", Wire: model.Anthropic, BaseURL: address, Key: key},
		{Provider: "google", Wire: model.Gemini, BaseURL: address + "/v1beta", Key: key},
		{Provider: "ollama", Wire: model.Ollama, BaseURL: address, Key: key},
	}
}

// each runs a test for each wire, whole and as a stream.
func each(t *testing.T, test func(t *testing.T, at func(address string) model.Endpoint, stream bool)) {
	for i := range wires("") {
		for _, stream := range []bool{false, true} {
			name := string(wires("")[i].Wire)
			if stream {
				name += " stream"
			}
			t.Run(name, func(t *testing.T) {
				test(t, func(address string) model.Endpoint { return wires(address)[i] }, stream)
			})
		}
	}
}

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{Inexact: true})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func hello(stream bool) model.Request {
	return model.Request{Model: "m-1", System: "Be brief.", Messages: []aaif.Message{{Role: "user", Content: "Hello"}}, Stream: stream}
}

// The table of what a provider does wrong, and what follows for the route.
func TestFaults(t *testing.T) {
	const words = "try it later, \x1b[31mplease" // what the provider says
	for _, c := range []struct {
		name   string
		step   model.Step
		kind   model.ErrorKind
		status int
		next   route.Next
	}{
		{"429", model.Step{Status: 429, RetryAfter: "30", Message: words}, model.Refused, 429, route.TryNext},
		{"500", model.Step{Status: 500, Message: words}, model.Refused, 500, route.TryNext},
		{"503", model.Step{Status: 503, Message: words}, model.Refused, 503, route.TryNext},
		{"400", model.Step{Status: 400, Message: words}, model.Refused, 400, route.Refused},
		{"408", model.Step{Status: 408, Message: words}, model.Refused, 0, route.TryNext},
		{"401", model.Step{Status: 401, Message: "the key " + key + " is wrong: " + words}, model.Refused, 401, route.Refused},
		{"302", model.Step{Status: 302, Message: words}, model.Refused, 302, route.Refused},
		{"unknown model", model.Step{Fault: model.FaultUnknown}, model.Refused, 404, route.TryNext},
		{"error inside of an answer", model.Step{Fault: model.FaultLate, Answer: "This is the beginning", Message: words}, model.Refused, -1, route.TryNext},
		{"hang", model.Step{Fault: model.FaultHang}, model.Broken, 0, route.TryNext},
		{"cut", model.Step{Fault: model.FaultCut, Answer: "This is a longer answer, and it breaks off"}, model.Broken, 0, route.TryNext},
		{"no JSON", model.Step{Fault: model.FaultGarbage}, model.NotUnderstood, 0, route.TryNext},
		{"other JSON", model.Step{Fault: model.FaultShape}, model.NotUnderstood, 0, route.TryNext},
		{"flood", model.Step{Fault: model.FaultFlood}, model.TooLarge, 0, route.TryNext},
	} {
		t.Run("AAIF-4.2-4 "+c.name, func(t *testing.T) {
			each(t, func(t *testing.T, at func(string) model.Endpoint, stream bool) {
				server, address := fakemodel.Start(t, c.step)
				client := model.New(model.Options{Patience: 200 * time.Millisecond})
				if c.name != "hang" {
					client = model.New(model.Options{})
				}
				answer, outcome, err := client.Ask(t.Context(), at(address), hello(stream))
				failed, ok := errors.AsType[*model.Error](err)
				if !ok || failed.Kind != c.kind || outcome.Next() != c.next || answer.Text != "" {
					t.Fatalf("%+v, %+v, %v; want %s and %s", answer, outcome, err, c.kind, c.next)
				}
				if c.status >= 0 && outcome.Status != c.status || outcome.At.IsZero() || outcome.UnknownModel != (c.name == "unknown model") {
					t.Errorf("outcome %+v", outcome)
				}
				if want := 30 * time.Second; (outcome.RetryAfter == want) != (c.name == "429") {
					t.Errorf("Retry-After %v", outcome.RetryAfter)
				}
				if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "\x1b") || strings.Contains(c.step.Message, words) && !strings.Contains(err.Error(), "try it later, [31mplease") {
					t.Errorf("says %q", err)
				}
				if n := len(server.Requests()); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		})
	}
}

// A request's body, the way of the key, and what is understood of an answer, over HTTP.
func TestAnswers(t *testing.T) {
	script := []model.Step{{Turn: new(0), Answer: "I look that up.", Usage: &model.Usage{Input: 100, Output: 20}, Calls: []model.ScriptCall{
		{Tool: "lookup", Arguments: json.RawMessage(`{"name":"Ünal","limit":3}`)}, {Tool: "clock"}}},
		{Turn: new(1), Results: new(2), Last: "noon", Answer: "It is noon, and Ünal is in.", Stop: model.StopLength}}
	each(t, func(t *testing.T, at func(string) model.Endpoint, stream bool) {
		server, address := fakemodel.Start(t, script...)
		client, pieces := model.New(model.Options{}), 0
		var said strings.Builder
		r := hello(stream)
		r.Tools = []model.Tool{{Name: "lookup", Description: "looks up", Parameters: parse(t, `{"type":"object","properties":{"name":{"type":"string"}}}`)}, {Name: "clock"}}
		r.OnText = func(s string) { said.WriteString(s); pieces++ }
		first, outcome, err := client.Ask(t.Context(), at(address), r)
		if err != nil || outcome.Next() != route.Answered || outcome.Took <= 0 {
			t.Fatalf("%+v, %v", outcome, err)
		}
		if first.Text != "I look that up." || said.String() != first.Text || stream && pieces < 2 || first.Stop != model.StopCalls {
			t.Errorf("%+v, %q in %d pieces", first, said.String(), pieces)
		}
		if first.InputTokens != 100 || first.OutputTokens != 20 {
			t.Errorf("%d and %d tokens", first.InputTokens, first.OutputTokens)
		}
		if len(first.Calls) != 2 || first.Calls[0].Tool != "lookup" || first.Calls[0].Arguments.Get("name").Text() != "Ünal" ||
			first.Calls[1].Arguments.Len() != 0 || first.Calls[0].ID == "" || first.Calls[0].ID == first.Calls[1].ID {
			t.Fatalf("calls %+v", first.Calls)
		}
		// Results arrive in another order than the calls.
		r.Messages = append(r.Messages, aaif.CallMessages(first.Text, first.Calls, time.Time{})...)
		r.Messages = append(r.Messages, aaif.Message{Role: "tool", Content: "noon", CallID: first.Calls[1].ID, Tool: "clock"},
			aaif.Message{Role: "tool", Content: `{"at":"noon"}`, CallID: first.Calls[0].ID, Tool: "lookup"})
		second, _, err := client.Ask(t.Context(), at(address), r)
		if err != nil || second.Text != "It is noon, and Ünal is in." || second.Stop != model.StopLength || len(second.Calls) != 0 {
			t.Fatalf("%+v, %v", second, err)
		}
		for _, got := range server.Requests() {
			if got.Model != "m-1" || got.Stream != stream || !strings.Contains(string(got.Body.Append(nil)), "Be brief.") {
				t.Errorf("%s: %s", got.Path, got.Body.Append(nil))
			}
			checkKey(t, got)
		}
	})
}

// checkKey checks that a key arrived in its provider's header and nowhere else.
func checkKey(t *testing.T, r fakemodel.Request) {
	t.Helper()
	header := map[model.Wire]string{model.OpenAI: "Authorization", model.Anthropic: "X-Api-Key", model.Gemini: "X-Goog-Api-Key", model.Ollama: "Authorization"}[r.Wire]
	for name, values := range r.Header {
		if holds := strings.Contains(strings.Join(values, " "), key); holds != (name == header) {
			t.Errorf("the key in %s: %v", name, holds)
		}
	}
	if strings.Contains(r.Path, key) || strings.Contains(string(r.Body.Append(nil)), key) {
		t.Error("the key is in the path or the body")
	}
}

// The same request gets the same answer, with the same ids, as long as the conversation is
// the same: a turn that is asked for again after a crash is the same turn.
func TestAskedAgain(t *testing.T) {
	each(t, func(t *testing.T, at func(string) model.Endpoint, stream bool) {
		_, address := fakemodel.Start(t, model.Step{Turn: new(0), Calls: []model.ScriptCall{{Tool: "pay"}, {Tool: "pay"}}})
		r := hello(stream)
		r.CallPrefix = "run-1.7-"
		var ids [2]string
		for i := range ids {
			a, _, err := model.New(model.Options{}).Ask(t.Context(), at(address), r)
			if err != nil || len(a.Calls) != 2 {
				t.Fatal(err, a)
			}
			ids[i] = a.Calls[0].ID + " " + a.Calls[1].ID
		}
		wire := at(address).Wire
		if ids[0] != ids[1] || (wire == model.Gemini || wire == model.Ollama) && ids[0] != "run-1.7-0 run-1.7-1" {
			t.Error(ids)
		}
	})
}

func TestIDs(t *testing.T) {
	_, address := fakemodel.Start(t, model.Step{Calls: []model.ScriptCall{
		{ID: "call_0", Tool: "a"}, {ID: "call_0", Tool: "b"}, {ID: "new", Tool: "c"}, {ID: "call-1-0", Tool: "d"}, {ID: strings.Repeat("x", 200), Tool: "e"}, {ID: "a b", Tool: "f"}}})
	r := hello(false)
	r.Messages = append(r.Messages, aaif.CallMessages("", []aaif.Call{{ID: "call_0", Tool: "a"}}, time.Time{})...)
	r.Messages = append(r.Messages, aaif.Message{Role: "tool", CallID: "call_0", Tool: "a", Content: "done"})
	a, _, err := model.New(model.Options{}).Ask(t.Context(), wires(address)[0], r)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"call_0": true}
	for _, c := range a.Calls {
		if seen[c.ID] || c.ID == "" || len(c.ID) > 128 || strings.Contains(c.ID, " ") {
			t.Errorf("%s has the id %q", c.Tool, c.ID)
		}
		seen[c.ID] = true
	}
	if a.Calls[2].ID != "new" {
		t.Error("a good id was replaced")
	}
}

// Arguments that are no object, or that would be changed, are no arguments.
func TestArguments(t *testing.T) {
	for text, guessed := range map[string]bool{
		`{"a":1}`: false, `""`: false, `"{\"a\": [1, 2"`: true, `[1]`: true, `{"account":12345678901234567890}`: true, `"nothing"`: true, `null`: false,
	} {
		t.Run(text, func(t *testing.T) {
			each(t, func(t *testing.T, at func(string) model.Endpoint, stream bool) {
				if wire := at("").Wire; text == `null` && wire != model.Ollama && wire != model.Gemini {
					t.Skip("this wire has a text")
				}
				_, address := fakemodel.Start(t, model.Step{Calls: []model.ScriptCall{{Tool: "pay", Arguments: json.RawMessage(text)}}})
				a, _, err := model.New(model.Options{}).Ask(t.Context(), at(address), hello(stream))
				if text == `""` && at("").Wire != model.OpenAI {
					t.Skip("a text is no object on this wire")
				}
				if err != nil || len(a.Calls) != 1 || a.Calls[0].Guessed != guessed || guessed && a.Calls[0].Arguments.Len() != 0 {
					t.Errorf("%+v, %v", a.Calls, err)
				}
			})
		})
	}
}

// A run that is stopped is no failure of the route, and stops the question at once.
func TestStopped(t *testing.T) {
	each(t, func(t *testing.T, at func(string) model.Endpoint, stream bool) {
		server := httptest.NewServer(fakemodel.New(model.NewScript(model.Step{Fault: model.FaultHang})))
		defer server.Close()
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		_, outcome, err := model.New(model.Options{}).Ask(ctx, at(server.URL), hello(stream))
		if failed, ok := errors.AsType[*model.Error](err); !ok || failed.Kind != model.Broken || !errors.Is(err, context.DeadlineExceeded) || outcome.Status != 0 {
			t.Errorf("%+v, %v", outcome, err)
		}
	})
}

// A slow provider is waited for as long as something comes.
func TestSlow(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range []string{"slow", "but", "steady"} {
			_, _ = w.Write([]byte(`{"message":{"content":"` + line + ` "},"done":false}` + "\n"))
			w.(http.Flusher).Flush()
			time.Sleep(150 * time.Millisecond)
		}
		_, _ = w.Write([]byte(`{"message":{"content":""},"done":true}` + "\n"))
	}))
	defer s.Close()
	e := model.Endpoint{Provider: "ollama", Wire: model.Ollama, BaseURL: s.URL}
	a, _, err := model.New(model.Options{Patience: 400 * time.Millisecond}).Ask(t.Context(), e, hello(true))
	if err != nil || a.Text != "slow but steady " {
		t.Errorf("%+v, %v", a, err)
	}
}

// No redirect is followed, no guarded address of this machine is dialled, and nothing leaves
// unencrypted.
func TestElsewhere(t *testing.T) {
	asked := 0
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer far.Close()
	near := httptest.NewServer(http.RedirectHandler(far.URL, http.StatusTemporaryRedirect))
	defer near.Close()
	for _, c := range []struct {
		name    string
		address string
		guarded bool
		kind    model.ErrorKind
	}{
		{"redirect", near.URL, false, model.Refused},
		{"AAIF-4.2-20 this machine", far.URL, true, model.Denied},
		{"AAIF-4.2-20 a name of this machine", strings.Replace(far.URL, "127.0.0.1", "localhost", 1), true, model.Denied},
		{"AAIF-4.2-20 metadata of a cloud, although it is listed", "https://169.254.169.254", true, model.Denied},
		{"AAIF-4.2-20 no encryption", "http://192.0.2.7", false, model.Denied},
		{"AAIF-4.2-20 a key in the address", "https://user:" + key + "@example.com", false, model.Denied},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, at func(string) model.Endpoint, stream bool) {
				e := at(c.address)
				e.Guarded, e.Listed = c.guarded, strings.Contains(c.name, "listed")
				_, _, err := model.New(model.Options{}).Ask(t.Context(), e, hello(stream))
				if failed, ok := errors.AsType[*model.Error](err); !ok || failed.Kind != c.kind || asked != 0 || strings.Contains(err.Error(), key) {
					t.Errorf("%v after %d requests", err, asked)
				}
			})
		})
	}
}

// What is out of bounds is not sent (AAIF-4.2-25).
func TestBounds(t *testing.T) {
	server, address := fakemodel.Start(t)
	for name, params := range map[string]aaif.Parameters{
		"max_tokens": {MaxTokens: new(0)}, "top_p": {TopP: new(1.5)}, "frequency_penalty": {FrequencyPenalty: new(-2.1)},
		"presence_penalty": {PresencePenalty: new(3.0)}, "stop": {Stop: []string{"a", "b", "c", "d", "e"}},
	} {
		t.Run("AAIF-4.2-25 "+name, func(t *testing.T) {
			r := hello(false)
			r.Params = params
			_, outcome, err := model.New(model.Options{}).Ask(t.Context(), wires(address)[0], r)
			if failed, ok := errors.AsType[*model.Error](err); !ok || failed.Kind != model.Invalid || !strings.Contains(err.Error(), name) || outcome.Next() != route.Refused {
				t.Errorf("%v, %+v", err, outcome)
			}
		})
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// The whole way of a candidate: an address that the operator set up gets its key, one that a
// definition names gets none, and a failure says which provider it is.
func TestProviders(t *testing.T) {
	server, address := fakemodel.Start(t, model.Step{Answer: "fine", Times: 9})
	p := model.Providers{Client: model.New(model.Options{}), Keys: keys{"litellm": key, "openai": "sk-other"},
		Operator: route.Operator{Providers: []route.Provider{{Name: "litellm", BaseURL: address}}, Egress: []string{"127.0.0.1"}}}
	for _, c := range []struct {
		name, provider, address string
		kind                    model.ErrorKind
		sent                    string
	}{
		{"AAIF-4.2-19 configured for provider_id", "litellm", address, "", "Bearer " + key},
		{"AAIF-4.2-19 from the operator", "litellm", "", "", "Bearer " + key},
		{"AAIF-4.2-19 not configured", "x", "", model.Unconfigured, ""},
		{"AAIF-4.2-20 no key of another provider", "x", address, "", ""},
		{"AAIF-4.2-20 no key at another address", "openai", address, "", ""},
		{"AAIF-4.2-20 not on the list", "x", "http://169.254.169.254/", model.Denied, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(server.Requests())
			a, outcome, err := p.Ask(t.Context(), route.Candidate{Target: route.Target{Provider: c.provider, Model: "m-2"}, BaseURL: c.address}, hello(false))
			seen := server.Requests()[before:]
			failed, _ := errors.AsType[*model.Error](err)
			switch {
			case c.kind != "":
				if failed == nil || failed.Kind != c.kind || failed.Provider != c.provider || outcome.Status != 0 || len(seen) != 0 {
					t.Errorf("%v, %+v", err, outcome)
				}
			case err != nil || a.Text != "fine" || len(seen) != 1 || seen[0].Path != "/chat/completions" || seen[0].Model != "m-2" || seen[0].Header.Get("Authorization") != c.sent:
				t.Errorf("%+v, %v, %+v", a, err, seen)
			}
		})
	}
}

type keys map[string]string

func (k keys) Key(provider string) (string, error) { return k[provider], nil }
