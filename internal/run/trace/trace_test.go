package trace

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestParse(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{parent, parent},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", parent},
		{"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes-later", parent},
		{parent + "-more", ""},
		{"cc" + parent[2:] + ".more", ""},
		{"ff" + parent[2:], ""},
		{"00-4BF92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""},
		{"00-00000000000000000000000000000000-00f067aa0ba902b7-01", ""},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", ""},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736x00f067aa0ba902b7-01", ""},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7x01", ""},
		{"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", ""},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", ""},
		{"", ""},
	} {
		if got := Parse(c.value).String(); got != c.want {
			t.Errorf("%q is %q, want %q", c.value, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(parent)
	f.Fuzz(func(t *testing.T, value string) {
		if c := Parse(value); c.Valid() && Parse(c.String()) != c {
			t.Errorf("%q is read as %v", value, c)
		}
	})
}

func TestOrigin(t *testing.T) {
	never := func(Context) bool { return false }
	of := NewOrigin(Parse(parent), never)
	if of.Parent.String() != parent || of.Root.Trace != of.Parent.Trace || of.Root.Span == of.Parent.Span || !of.Root.Sampled {
		t.Errorf("got %+v", of)
	}
	begins := NewOrigin(Context{}, never)
	if !begins.Root.Valid() || begins.Parent.Valid() || begins.Root.Sampled {
		t.Errorf("got %+v", begins)
	}
	for _, one := range []Origin{of, begins, {}} {
		raw, err := json.Marshal(one)
		var again Origin
		if err != nil || json.Unmarshal(raw, &again) != nil || again != one {
			t.Errorf("%s is read as %+v (%v)", raw, again, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"root":"nonsense"}`), new(Origin)); err == nil {
		t.Error("nonsense is read")
	}
}

// kept records one span.
type kept struct{ Span }

func (*kept) Samples(Context) bool { return true }
func (k *kept) Record(s Span)      { k.Span = s }

func TestBegin(t *testing.T) {
	to, now := &kept{}, time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	s := Spans{To: to, Origin: NewOrigin(Parse(parent), nil), Now: func() time.Time { now = now.Add(time.Second); return now }}
	outer, end := s.Begin(t.Context(), ToolCall)
	inner, done := s.Begin(outer, MemoryRead, Attribute{"a", 1})
	done("CODE", Attribute{"b", true})
	if to.Context != From(inner) || to.Parent != From(outer) || to.Failure != "CODE" || len(to.Attributes) != 2 || to.End.Sub(to.Begin) != time.Second {
		t.Errorf("got %+v", to.Span)
	}
	if end(""); to.Parent != s.Origin.Root || to.Context != From(outer) || !From(outer).Sampled {
		t.Errorf("got %+v", to.Span)
	}
	elsewhere := With(t.Context(), NewOrigin(Context{}, func(Context) bool { return true }).Root)
	if _, end := s.Begin(elsewhere, LLMCall); true {
		if end(""); to.Parent != s.Origin.Root {
			t.Errorf("a span of another trace is the parent: %+v", to.Span)
		}
	}
	*to = kept{}
	for _, c := range []struct {
		name string
		of   Spans
		want string
	}{
		{"nobody records", Spans{Origin: s.Origin}, parent},
		{"it is not sampled", Spans{To: to, Origin: NewOrigin(Context{}, func(Context) bool { return false })}, ""},
	} {
		ctx, end := c.of.Begin(context.Background(), LLMCall)
		end("")
		c.of.Whole(Run, now, now, "")
		if told := From(ctx); to.Kind != "" || c.want != "" && told.String() != c.want || c.want == "" && (told.Sampled || told.Trace != c.of.Origin.Root.Trace) {
			t.Errorf("%s: %q, %+v", c.name, told, to.Span)
		}
	}
}

func TestTell(t *testing.T) {
	of := Parse(parent)
	for _, c := range []struct{ chosen, want string }{
		{"", "Traceparent"}, {"traceparent", "Traceparent"}, {"x-trace", "X-Trace"}, {"Authorization", "Traceparent"}, {"host", "Traceparent"}, {"mcp-session-id", "Traceparent"},
		{"X Trace", "Traceparent"}, {"X-Trace\r\nEvil: 1", "Traceparent"}, {"Accept", "Traceparent"}, {"X-Taken", "Traceparent"}, {"idempotency-key", "Traceparent"},
	} {
		head := http.Header{"X-Taken": {"before"}, "Traceparent": {"of a description"}}
		Tell(within(t.Context(), of, c.chosen), head)
		if got := head[c.want]; len(got) != 1 || got[0] != parent || head.Get("X-Taken") != "before" {
			t.Errorf("%q: %v", c.chosen, head)
		}
	}
	head := http.Header{}
	if Tell(within(t.Context(), Context{}, "X-Trace"), head); len(head) != 0 {
		t.Errorf("nothing is told: %v", head)
	}
}

func TestEndpoint(t *testing.T) {
	for address, want := range map[string]string{
		"https://ana:planted@desk.example/call/{id}": "https://desk.example/call/%7Bid%7D",
		"https://desk.example/call/{id}?key=planted": "https://desk.example/call/{id}",
		"https://desk.example/#planted":              "https://desk.example/",
		"https://desk.example/%zz":                   "",
		"stdio:///bin/tool?arg=planted":              "stdio:///bin/tool",
		"https://hooks.example/sk-ant-REDACTED":      "https://hooks.example/[SECRET-REDACTED]",
		"":                                           "",
	} {
		got := ""
		for _, a := range AboutTool("x", aaif.Tool{Endpoint: address}) {
			if a.Name == "tool.endpoint" {
				got = a.Value.(string)
			}
		}
		if got != want {
			t.Errorf("AAIF-4.7-3: %s is shown as %q, want %q", address, got, want)
		}
	}
}
