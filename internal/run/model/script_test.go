package model

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
)

const sample = `# first the model asks for a payment, then it reports
{"turn": 0, "answer": "I pay.", "calls": [{"tool": "pay", "arguments": {"amount": 12}}]}

{"turn": 1, "results": 1, "last": "paid", "answer": "It is paid.", "usage": {"input": 80, "output": 6}}
{"turn": 1, "status": 429, "retry_after": "30", "message": "later"}
{"model": "judge", "answer": "yes", "times": 2}
`

func candidate(provider, name string) route.Candidate {
	return route.Candidate{Target: route.Target{Provider: provider, Model: name}}
}

func question1(text string) Request {
	return Request{Model: "m-1", Messages: []aaif.Message{{Role: "user", Content: text}}}
}

// A line that is wrong is refused with what a line may have, since nothing else says so at hand.
func TestScriptSaysItsMembers(t *testing.T) {
	for _, line := range []string{`{"calls": [{"name": "pay"}]}`, `{"answer": {"text": "x"}}`} {
		_, err := ReadScript(strings.NewReader(line))
		if err == nil {
			t.Fatalf("%s is taken", line)
		}
		for _, of := range []reflect.Type{reflect.TypeFor[Step](), reflect.TypeFor[ScriptCall](), reflect.TypeFor[Usage]()} {
			for i := range of.NumField() {
				if name := of.Field(i).Tag.Get("json"); !strings.Contains(err.Error(), name) {
					t.Errorf("%s: %v does not say %s", line, err, name)
				}
			}
		}
	}
	s, err := ReadScript(strings.NewReader(`{"answer": "once"}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, _, err = s.Ask(t.Context(), candidate("p", "m-1"), question1("x"))
	}
	if err == nil || !strings.Contains(err.Error(), "times") {
		t.Errorf("a script that is used up says %v", err)
	}
}

// A script answers by what a request holds, in this process and in the next.
func TestScript(t *testing.T) {
	for range 2 {
		s, err := ReadScript(strings.NewReader(sample))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r, said := question1("Pay 12"), ""
			r.OnText = func(text string) { said += text }
			a, outcome, err := s.Ask(t.Context(), candidate("p", "m-1"), r)
			if err != nil || outcome.Next() != route.Answered || a.Text != "I pay." || said != a.Text || a.Stop != StopCalls || a.Calls[0].ID != "call-0-0" || a.InputTokens != 10 {
				t.Fatalf("%+v, %+v, %v", a, outcome, err)
			}
			r.Messages = append(r.Messages, aaif.CallMessages(a.Text, a.Calls, time.Time{})...)
			result := aaif.Message{Role: "tool", CallID: a.Calls[0].ID, Tool: "pay", Content: "not enough"}
			r.Messages = append(r.Messages, result)
			_, outcome, err = s.Ask(t.Context(), candidate("p", "m-1"), r)
			if failed, ok := errors.AsType[*Error](err); !ok || failed.Kind != Refused || failed.Message != "later" || outcome.Status != 429 || outcome.RetryAfter != 30*time.Second {
				t.Fatalf("%+v, %v", outcome, err)
			}
			r.Messages[len(r.Messages)-1].Content = "paid"
			if a, _, err = s.Ask(t.Context(), candidate("p", "m-1"), r); err != nil || a.Text != "It is paid." || a.OutputTokens != 6 || a.Stop != StopEnd {
				t.Fatalf("%+v, %v", a, err)
			}
		}
		if s.Left() != 1 {
			t.Errorf("%d steps are left", s.Left())
		}
		judge := question1("Pay 12")
		judge.Messages = append(judge.Messages, aaif.Message{Role: "assistant", Content: "x"}, aaif.Message{Role: "assistant", Content: "y"})
		for i := range 3 {
			a, outcome, err := s.Ask(t.Context(), candidate("p", "judge"), judge)
			if i < 2 && (err != nil || a.Text != "yes") || i == 2 && outcome.Next() != route.Refused {
				t.Errorf("%d: %+v, %v", i, a, err)
			}
		}
	}
}

func TestScriptFaults(t *testing.T) {
	for fault, want := range map[Fault]ErrorKind{FaultUnknown: Refused, FaultHang: Broken, FaultCut: Broken, FaultGarbage: NotUnderstood, FaultShape: NotUnderstood, FaultLate: Refused, FaultFlood: TooLarge} {
		t.Run(string(fault), func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer stop()
			_, outcome, err := NewScript(Step{Fault: fault}).Ask(ctx, candidate("p", "m-1"), question1("x"))
			if failed, ok := errors.AsType[*Error](err); !ok || failed.Kind != want || failed.Provider != "p" || outcome.Next() != route.TryNext || outcome.UnknownModel != (fault == FaultUnknown) {
				t.Errorf("%+v, %v", outcome, err)
			}
		})
	}
	t.Run("a delay ends with its context", func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		if _, _, err := NewScript(Step{Delay: 60_000}).Ask(ctx, candidate("p", "m-1"), question1("x")); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestBadScripts(t *testing.T) {
	for text, want := range map[string]string{
		"": "no steps", "# nothing\n": "no steps", `{"answr":"x"}`: `line 1 of the script: json: unknown field "answr"`, "\n{\"fault\":\"flu\"}": "line 2 of the script: there is no fault flu",
		`{"fault":"status"}`: "needs a status", `{"status":200}`: "200 is no status of a refusal", `{"status":500,"answer":"x"}`: "an answer or a fault",
		`{"calls":[{}]}`: "names no tool", `{"answer":"a"} {"answer":"b"}`: "one object on one line", `[]`: "line 1",
	} {
		if _, err := ReadScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
