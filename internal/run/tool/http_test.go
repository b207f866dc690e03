package tool_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

const reviewSchema = `{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"},"pull_number":{"type":"integer"},"body":{"type":"string"},"event":{"type":"string"}},` +
	`"required":["owner","repo","pull_number"]}`

func TestHTTPRequest(t *testing.T) {
	fake, at := served(t)
	review := httpTool(at + "/call/review/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
	review.Parameters = tree(t, reviewSchema)
	const args = `{"owner":"a/b","repo":"r","pull_number":1,"body":"x","event":"COMMENT"}`
	t.Run("AAIF-4.4-9 placeholders are escaped, the rest is the body", func(t *testing.T) {
		set := open(t, tool.Options{Operator: operator()}, review)
		if _, err := call(t, set, "note", args); err != nil {
			t.Fatal(err)
		}
		r := fake.Requests("review")[0]
		if r.Path != "/call/review/repos/a%2Fb/r/pulls/1/reviews" || r.Body != `{"body":"x","event":"COMMENT"}` {
			t.Errorf("got %s with %s", r.Path, r.Body)
		}
	})
	t.Run("AAIF-4.4-10 POST without a binding", func(t *testing.T) {
		r := fake.Requests("review")[0]
		if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Idempotency-Key") != "k1" {
			t.Errorf("got %s, %v", r.Method, r.Header)
		}
	})
	t.Run("AAIF-4.4-10 GET by the operator's word, with arguments in the query", func(t *testing.T) {
		o := operator()
		o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", Method: "GET"}}
		set := open(t, tool.Options{Operator: o}, httpTool(at+"/call/get/{id}?fixed=1"))
		if _, err := call(t, set, "note", `{"id":"7","tags":["a","b&c"],"deep":{"x":1},"on":true}`); err != nil {
			t.Fatal(err)
		}
		r := fake.Requests("get")[0]
		if r.Method != "GET" || r.Path != "/call/get/7" || r.Query != "deep=%7B%22x%22%3A1%7D&fixed=1&on=true&tags=a&tags=b%26c" || r.Body != "" || r.Header.Get("Idempotency-Key") != "" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("AAIF-4.4-9 what the endpoint says in its query stays", func(t *testing.T) {
		o := operator()
		o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", Method: "GET"}}
		_, err := call(t, open(t, tool.Options{Operator: o}, httpTool(at+"/call/fixed?account=me")), "note", `{"account":"other"}`)
		if wantError(t, err, tool.ArgsInvalid, tool.NotSent); len(fake.Requests("fixed")) != 0 {
			t.Error("the tool was called")
		}
	})
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		t.Run("AAIF-4.4-10 "+method, func(t *testing.T) {
			o := operator()
			o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", Method: method}}
			set := open(t, tool.Options{Operator: o}, httpTool(at+"/call/"+method))
			if _, err := call(t, set, "note", `{"a":1}`); err != nil {
				t.Fatal(err)
			}
			if r := fake.Requests(method)[0]; r.Method != method || (r.Body == `{"a":1}`) == (r.Query == "a=1") {
				t.Errorf("got %+v", r)
			}
		})
	}
	for name, c := range map[string]struct{ endpoint, args string }{
		"a required argument is missing":  {review.Endpoint, `{"owner":"a"}`},
		"an argument has the wrong type":  {review.Endpoint, `{"owner":"a","repo":"r","pull_number":"1"}`},
		"a placeholder has no argument":   {at + "/call/x/{other}", `{"owner":"a","repo":"r","pull_number":1}`},
		"an argument climbs":              {at + "/call/x/{owner}/y", `{"owner":"..","repo":"r","pull_number":1}`},
		"an argument climbs by escapes":   {at + "/call/x/{owner}/y", `{"owner":"../../admin","repo":"r","pull_number":1}`},
		"an argument climbs by \\":        {at + "/call/x/{owner}/y", `{"owner":"a\\..\\admin","repo":"r","pull_number":1}`},
		"two arguments climb together":    {at + "/call/x/{owner}{repo}/y", `{"owner":".","repo":".","pull_number":1}`},
		"the arguments are no object":     {review.Endpoint, `[]`},
		"a placeholder has an empty name": {at + "/call/x/{}", `{"owner":"a","repo":"r","pull_number":1}`},
	} {
		t.Run("AAIF-4.4-9 "+name, func(t *testing.T) {
			before := len(fake.Requests("x")) + len(fake.Requests("review"))
			tried := review
			tried.Endpoint = c.endpoint
			_, err := call(t, open(t, tool.Options{Operator: operator()}, tried), "note", c.args)
			wantError(t, err, tool.ArgsInvalid, tool.NotSent)
			if after := len(fake.Requests("x")) + len(fake.Requests("review")); after != before {
				t.Error("the tool was called")
			}
		})
	}
	t.Run("AAIF-12-1 an argument cannot choose the host", func(t *testing.T) {
		set := open(t, tool.Options{Operator: operator()}, httpTool("http://127.0.0.1{rest}/x"))
		_, err := call(t, set, "note", `{"rest":".evil.example"}`)
		wantError(t, err, egressDenied, tool.NotSent)
	})
}

func TestHTTPNature(t *testing.T) {
	for method, readOnly := range map[string]bool{"": false, "GET": true, "HEAD": true, "OPTIONS": true, "POST": false, "PUT": false, "PATCH": false, "DELETE": false} {
		t.Run("AAIF-4.9-13 an http tool by "+method, func(t *testing.T) {
			o := operator()
			o.Bindings = []tool.Binding{{Agent: "a1", Tool: "note", Method: method}}
			if got := only(t, open(t, tool.Options{Operator: o, Agent: "a1"}, httpTool("http://127.0.0.1:1/x"))).Nature; !got.Bound || got.ReadOnly != readOnly || got.Idempotent {
				t.Errorf("got %+v", got)
			}
			if got := only(t, open(t, tool.Options{Operator: o, Agent: "a2"}, httpTool("http://127.0.0.1:1/x"))).Nature; got.ReadOnly {
				t.Errorf("another agent's tool: got %+v", got)
			}
		})
	}
}

func TestHTTPOutcome(t *testing.T) {
	for _, c := range []struct {
		kind    faketool.Kind
		writes  int
		code    aaif.Code // empty: a result
		outcome tool.Outcome
		isError bool
	}{
		{"", 1, "", "", false},
		{faketool.DropBefore, 0, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.DropAfter, 1, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.CutAnswer, 1, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.HangBefore, 0, tool.Timeout, tool.Unknown, false},
		{faketool.HangAfter, 1, tool.Timeout, tool.Unknown, false},
		{faketool.FailBefore, 0, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.FailAfter, 1, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.Redirect, 0, egressDenied, tool.Unknown, false},
		{faketool.Refuse, 0, "", "", true},
	} {
		t.Run("AAIF-4.4-9 a write, and "+string(c.kind), func(t *testing.T) {
			t.Parallel()
			fake, at := served(t)
			noted := httpTool(at + "/call/note")
			noted.Timeout = 1
			set := open(t, tool.Options{Operator: operator()}, noted)
			if _, err := call(t, set, "note", `{}`); err != nil { // what a kept connection would allow is allowed now
				t.Fatal(err)
			}
			fake.SetFault("note", faketool.Fault{Kind: c.kind})
			r, err := call(t, set, "note", `{}`)
			if c.code == "" {
				if err != nil || r.IsError != c.isError {
					t.Errorf("got %+v, %v", r, err)
				}
			} else {
				wantError(t, err, c.code, c.outcome)
			}
			time.Sleep(20 * time.Millisecond)
			if got := fake.Counts()["note"]; got.Calls != 2 || got.Writes != c.writes+1 || fake.Counts()["note_moved"].Calls != 0 {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("AAIF-4.4-9 nobody listens", func(t *testing.T) {
		set := open(t, tool.Options{Operator: operator()}, httpTool("http://127.0.0.1:1/x"))
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, tool.Unreachable, tool.NotSent)
	})
	t.Run("AAIF-4.4-9 a read that fails is an answer", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.FailBefore})
		o := operator()
		o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", Method: "GET"}}
		r, err := call(t, open(t, tool.Options{Operator: o}, httpTool(at+"/call/note")), "note", `{}`)
		if err != nil || !r.IsError || !strings.Contains(r.Text, `"status":500`) {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	t.Run("AAIF-4.4-9 a read that breaks is not repeated", func(t *testing.T) {
		fake, at := served(t)
		o := operator()
		o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", Method: "GET"}}
		set := open(t, tool.Options{Operator: o}, httpTool(at+"/call/note"))
		_, _ = call(t, set, "note", `{}`)
		fake.SetFault("note", faketool.Fault{Kind: faketool.DropBefore})
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, tool.Unreachable, tool.Unknown)
		if n := fake.Counts()["note"].Calls; n != 2 {
			t.Errorf("%d calls", n)
		}
	})
	t.Run("AAIF-4.4-26 a tool that is too slow", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.HangBefore})
		slow := httpTool(at + "/call/note")
		slow.Timeout = 1
		set := open(t, tool.Options{Operator: operator()}, slow)
		begin := time.Now()
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, tool.Timeout, tool.Unknown)
		if took := time.Since(begin); took < time.Second || took > 1300*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		said := tree(t, failure(t, err).ForModel())
		if said.Get("error").Text() != "TOOL_TIMEOUT" || said.Get("outcome").Text() != "unknown" || said.Get("message").Text() == "" {
			t.Errorf("the model is told %s", said.Append(nil))
		}
		fake.SetFault("note", faketool.Fault{})
		if _, err := call(t, set, "note", `{}`); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}

func TestHTTPAnswer(t *testing.T) {
	fake, at := served(t)
	set := open(t, tool.Options{Operator: operator()}, httpTool(at+"/call/note"))
	for name, c := range map[string]struct {
		answer, text string
		kind         canon.Type
	}{
		"JSON":          {`{"a": 12345678901234567890}`, `{"a": 12345678901234567890}`, canon.TypeObject},
		"text":          {"plain", "plain", canon.TypeUndefined},
		"nothing":       {"", "", canon.TypeUndefined},
		"not even text": {"\xff\xfe", "2 bytes of application/json, which are no text", canon.TypeUndefined},
	} {
		t.Run("AAIF-4.4-9 an answer of "+name, func(t *testing.T) {
			fake.SetFault("note", faketool.Fault{Kind: faketool.AnswerAlways, Answer: c.answer})
			r, err := call(t, set, "note", `{}`)
			if err != nil || r.Text != c.text || r.Value.Type() != c.kind || r.IsError {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	t.Run("AAIF-4.4-9 an answer that is too long", func(t *testing.T) {
		fake.SetFault("note", faketool.Fault{Kind: faketool.AnswerAlways, Answer: strings.Repeat("x", 1<<20+1)})
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, outputInvalid, tool.Answered)
	})
}
