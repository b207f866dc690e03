package model

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/modelhttp"
)

// How each provider says that it has no such model, and what is none of that.
func TestUnknownModel(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   bool
	}{
		{"openai", 404, `{"error":{"message":"The model 'x' does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`, true},
		{"openai without access", 403, `{"error":{"message":"Project has no access to model x","code":"model_not_found"}}`, true},
		{"azure_openai", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, true},
		{"anthropic", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: x"}}`, true},
		{"google", 404, `[{"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}}]`, true},
		{"ollama", 404, `{"error":"model 'x' not found"}`, true},
		{"mistral", 400, `{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}`, true},
		{"deepseek", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, true},
		{"openrouter", 400, `{"error":{"message":"x is not a valid model ID","code":400}}`, true},
		{"a wrong address", 404, `<html>Not Found</html>`, false},
		{"a wrong request", 400, `{"error":{"message":"this model does not take pictures","code":"invalid_request_error"}}`, false},
		{"a wrong key", 401, `{"error":{"message":"Incorrect API key"}}`, false},
		{"a failure", 500, `{"error":{"message":"unknown model","code":"model_not_found"}}`, false},
	} {
		t.Run("AAIF-4.2-4 "+c.name, func(t *testing.T) {
			e := failure(t.Context(), &modelhttp.Refusal{Status: c.status, Body: []byte(c.body)}, "")
			if got := e.outcome(time.Time{}); got.UnknownModel != c.want || got.Status != c.status {
				t.Errorf("%+v of %v", got, e)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		header, value, body string
		want                time.Duration
	}{
		{"Retry-After", "30", "", 30 * time.Second},
		{"Retry-After", "1.5", "", 1500 * time.Millisecond},
		{"Retry-After", "Sun, 01 Mar 2026 12:01:00 GMT", "", time.Minute},
		{"Retry-After", "Sun, 01 Mar 2026 11:01:00 GMT", "", 0},
		{"Retry-After", "soon", "", 0}, {"Retry-After", "-3", "", 0}, {"Retry-After", "NaN", "", 0}, {"Retry-After", "1e30", "", 24 * time.Hour},
		{"Retry-After-Ms", "250", "", 250 * time.Millisecond},
		{"", "", `{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`, 34500 * time.Millisecond},
		{"", "", `{"error":"later"}`, 0},
	} {
		e := failure(t.Context(), &modelhttp.Refusal{Status: 429, Header: http.Header{c.header: {c.value}}, Body: []byte(c.body)}, "")
		if got := e.outcome(now).RetryAfter; got != c.want {
			t.Errorf("AAIF-4.2-4 %s: %s%s: %v, want %v", c.header, c.value, c.body, got, c.want)
		}
	}
}

// What a provider says is shown on one line, without the key and without what a terminal
// obeys.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"line\r\none\x00\x1b[2J": "line one[2J", "\u202etxt\u200b": "txt", "the key k3y-k3y of k3y-k3y.": "the key [key] of [key].", "\xff": "\ufffd",
		strings.Repeat("ü", 400): strings.Repeat("ü", 299) + "…", strings.Repeat("x", 296) + "k3y-k3y": strings.Repeat("x", 296) + "[ke…",
	} {
		if got := clean(in, "k3y-k3y"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{Kind: Broken, Host: "h", Err: errCut}, "no answer from h: the answer breaks off"},
		{Error{Kind: Refused, Host: "h", Status: 429, Message: "later"}, "h answers with status 429: later"},
		{Error{Kind: NotUnderstood, Host: "h"}, "the answer of h is not understood"},
		{Error{Kind: TooLarge, Host: "h"}, "the answer of h is too large"},
		{Error{Kind: Invalid, Provider: "p", Message: "stop is out of bounds"}, "this cannot be asked of p: stop is out of bounds"},
		{Error{Kind: Denied, Host: "h"}, "the address of h must not be contacted"},
		{Error{Kind: Unconfigured, Provider: "p"}, "no address is set up for the provider p"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Streams as servers write them, good and bad.
func TestStreams(t *testing.T) {
	const chunk = `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`
	const open = `{"choices":[{"delta":{"content":"a"}}]}`
	for _, c := range []struct {
		name string
		wire Wire
		in   string
		text string
		want error // nil: an answer
	}{
		{"events", OpenAI, "data: " + chunk + "\n\ndata: [DONE]\n\n", "a", nil},
		{"no space, other line ends, comments, names", OpenAI, ": hello\r\nevent: x\r\nid: 1\r\ndata:" + chunk + "\r\n\r\n", "a", nil},
		{"no empty line at the end", OpenAI, "data: " + chunk, "a", nil},
		{"data on two lines", OpenAI, "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n", "a", nil},
		{"no reason to stop, but the end", OpenAI, "data: " + open + "\n\ndata: [DONE]\n\n", "a", nil},
		{"the end without an empty line", OpenAI, "data: " + open + "\n\ndata: [DONE]", "a", nil},
		{"one object instead of a stream", OpenAI, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", nil},
		{"what follows the end", OpenAI, "data: " + chunk + "\n\ndata: [DONE]\n\ndata: {broken\n\n", "a", nil},
		{"cut between events", OpenAI, "data: " + open + "\n\n", "", errCut},
		{"cut within an event", OpenAI, "data: " + open + "\n\ndata: {\"choi", "", errCut},
		{"nothing", OpenAI, " \n", "", errCut},
		{"a line that is too long", OpenAI, "data: " + strings.Repeat("a", mostLine+1), "", errLarge},
		{"an event that is too long", OpenAI, strings.Repeat("data: "+strings.Repeat("a", 1<<19)+"\n", 3), "", errLarge},
		{"too many calls", OpenAI, strings.Repeat("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\"}]}}]}\n\n", mostCalls+1), "", errLarge},
		{"too many blocks", Anthropic, strings.Repeat("data: {\"type\":\"content_block_start\",\"content_block\":{}}\n\n", mostCalls+1), "", errLarge},
		{"a page", OpenAI, "<html>", "", errShape},
		{"lines", Ollama, `{"message":{"content":"a"}}` + "\n\n" + `{"message":{"content":"b"},"done":true}`, "ab", nil},
		{"lines cut between", Ollama, `{"message":{"content":"a"}}` + "\n", "", errCut},
		{"lines cut within", Ollama, `{"message":{"content":"a"}}` + "\n" + `{"mess`, "", errCut},
		{"a delta without its block", Anthropic, "data: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"text\":\"a\"}}\n\n", "", errShape},
		{"events that are not known", Anthropic, "data: {\"type\":\"tomorrow\"}\n\ndata: {\"type\":\"message_stop\"}\n\n", "", nil},
		{"blocked", Gemini, "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			into, said := formats()[c.wire].collector(), ""
			err := read(strings.NewReader(c.in), c.wire, true, into, func(s string) { said += s })
			a, whole := into.done()
			switch {
			case errors.Is(err, errDone):
				whole, err = true, nil
			case err == nil && !whole:
				err = errCut
			}
			if !errors.Is(err, c.want) || err == nil && (a.Text != c.text || said != c.text) {
				t.Errorf("%q, %q, %v, %v", a.Text, said, whole, err)
			}
		})
	}
}

// Calls as servers send them in pieces.
func TestCallPieces(t *testing.T) {
	for name, chunks := range map[string][]string{
		"by index": {`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]`, `[{"index":1,"id":"b","function":{"name":"g","arguments":""}}]`,
			`[{"index":0,"function":{"arguments":"1}"}},{"index":1,"function":{"arguments":"{}"}}]`},
		"one index for all":  {`[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]`, `[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]`},
		"without an index":   {`[{"id":"a","function":{"name":"f","arguments":"{\"x\""}}]`, `[{"function":{"arguments":":1}"}}]`, `[{"id":"b","function":{"name":"g"}}]`},
		"arguments as value": {`[{"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}},{"index":1,"id":"b","function":{"name":"g"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			into := &openaiAnswer{}
			for _, c := range chunks {
				if _, err := into.add(parse(t, `{"choices":[{"delta":{"tool_calls":`+c+`}}]}`)); err != nil {
					t.Fatal(err)
				}
			}
			a, _ := into.done()
			if len(a.Calls) != 2 || a.Calls[0].ID+a.Calls[1].ID != "ab" || a.Calls[0].Tool+a.Calls[1].Tool != "fg" || a.Calls[0].Arguments.Get("x").Float() != 1 || a.Calls[1].Guessed {
				t.Errorf("%+v", a.Calls)
			}
		})
	}
}

// Whatever comes, reading ends without a panic, and an answer has calls with readable
// arguments only.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), true, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1,\"function\":{\"arguments\":\"{\"}}]},\"finish_reason\":\"stop\"}]}\n\n")
	f.Add(uint8(1), true, "data: {\"type\":\"content_block_start\",\"index\":1e300,\"content_block\":{\"type\":\"tool_use\",\"input\":[]}}\n\n")
	f.Add(uint8(1), false, `{"type":"message","content":[{"type":"thinking"},{"type":"tool_use","name":"a","input":{"b":1}}],"usage":{"input_tokens":-1}}`)
	f.Add(uint8(2), false, `[{"error":{"code":1e300}}]`)
	f.Add(uint8(2), true, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"args\":null}}]},\"finishReason\":\"STOP\"}]}\n\n")
	f.Add(uint8(3), true, `{"message":{"tool_calls":[{"function":{"arguments":"x"}}]},"done":true,"eval_count":1e300}`)
	f.Fuzz(func(t *testing.T, n uint8, stream bool, in string) {
		wire := []Wire{OpenAI, Anthropic, Gemini, Ollama}[n%4]
		into := formats()[wire].collector()
		if err := read(strings.NewReader(in), wire, stream, into, nil); err != nil {
			failure(t.Context(), err, "key").outcome(time.Time{})
			return
		}
		a, _ := into.done()
		for _, c := range named(Request{}, a.Calls) {
			if c.ID == "" || c.Arguments.Type() != canon.TypeObject {
				t.Errorf("%+v", c)
			}
		}
		if a.InputTokens < 0 || a.OutputTokens < 0 {
			t.Errorf("%+v", a)
		}
	})
}
