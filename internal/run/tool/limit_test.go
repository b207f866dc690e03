package tool_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// reading returns an operator for whom the tool note only reads.
func reading() tool.Operator {
	o := operator()
	o.Bindings = []tool.Binding{{Agent: "*", Tool: "note", ReadOnly: true}}
	return o
}

func TestCache(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		ttl    int
		o      tool.Operator
		fault  faketool.Kind
		second string // the arguments of the second call
		person string // for whom it is
		after  time.Duration
		calls  int
	}{
		"twice the same":            {300, reading(), "", `{"b":2,"a":1}`, "p1", time.Second, 1},
		"spelled in another order":  {300, reading(), "", `{"a":1,"b":2.0}`, "p1", time.Second, 1},
		"other arguments":           {300, reading(), "", `{"a":1,"b":3}`, "p1", time.Second, 2},
		"another person":            {300, reading(), "", `{"b":2,"a":1}`, "p2", time.Second, 2},
		"after its time":            {300, reading(), "", `{"b":2,"a":1}`, "p1", 300 * time.Second, 2},
		"a tool without a cache":    {0, reading(), "", `{"b":2,"a":1}`, "p1", time.Second, 2},
		"a tool that may write":     {300, operator(), "", `{"b":2,"a":1}`, "p1", time.Second, 2},
		"an answer that says no":    {300, reading(), faketool.Refuse, `{"b":2,"a":1}`, "p1", time.Second, 2},
		"an answer that breaks off": {300, reading(), faketool.CutAnswer, `{"b":2,"a":1}`, "p1", time.Second, 2},
	} {
		t.Run("AAIF-4.4-25 "+name, func(t *testing.T) {
			fake, at := served(t)
			entry := httpTool(at + "/call/note")
			entry.CacheTTL = c.ttl
			clock := &clock{begin}
			o := tool.Options{Operator: c.o, Agent: "a1", Person: "p1", Now: clock.Now, Shared: &tool.Shared{}}
			fake.SetFault("note", faketool.Fault{Kind: c.fault, Times: 1})
			first, _ := call(t, open(t, o, entry), "note", `{"b":2,"a":1}`)
			clock.now = clock.now.Add(c.after)
			o.Person = c.person
			second, err := call(t, open(t, o, entry), "note", c.second)
			if err != nil || first.Cached || second.Cached != (c.calls == 1) {
				t.Errorf("got %+v, %v", second, err)
			}
			if second.Cached && (second.Text != first.Text || second.Text == "") {
				t.Errorf("got %s and %s", first.Text, second.Text)
			}
			if n := fake.Counts()["note"].Calls; n != c.calls {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limited := func(at string, requests, tokens int) aaif.Tool {
		entry := httpTool(at + "/call/note")
		entry.RateLimit = aaif.RateLimit{Requests: requests, Tokens: tokens}
		entry.Timeout = 100
		return entry
	}
	t.Run("AAIF-4.4-27 the third of two a minute waits", func(t *testing.T) {
		_, at := served(t)
		clock := &clock{begin}
		set := open(t, tool.Options{Operator: operator(), Now: clock.Now, Wait: clock.Wait}, limited(at, 2, 0))
		for i, want := range []time.Duration{0, 10 * time.Second, 60 * time.Second, 70 * time.Second} {
			if i == 1 {
				clock.now = clock.now.Add(10 * time.Second)
			}
			if _, err := call(t, set, "note", `{}`); err != nil || clock.now.Sub(begin) != want {
				t.Errorf("call %d at %s, want %s: %v", i, clock.now.Sub(begin), want, err)
			}
		}
	})
	t.Run("AAIF-4.4-27 a call that would wait for too long", func(t *testing.T) {
		fake, at := served(t)
		clock := &clock{begin}
		entry := limited(at, 1, 0)
		entry.Timeout = 59
		set := open(t, tool.Options{Operator: operator(), Now: clock.Now, Wait: clock.Wait}, entry)
		if _, err := call(t, set, "note", `{}`); err != nil {
			t.Fatal(err)
		}
		_, err := call(t, set, "note", `{}`)
		wantError(t, err, rateLimited, tool.NotSent)
		if n := fake.Counts()["note"].Calls; n != 1 {
			t.Errorf("%d calls", n)
		}
	})
	t.Run("AAIF-4.4-27 tokens a minute", func(t *testing.T) {
		fake, at := served(t)
		fake.SetFault("note", faketool.Fault{Kind: faketool.AnswerAlways, Answer: "0123456789012345678901234567890123456789"}) // 10 tokens
		clock := &clock{begin}
		set := open(t, tool.Options{Operator: operator(), Now: clock.Now, Wait: clock.Wait}, limited(at, 0, 22))
		for i, want := range []time.Duration{0, 0, time.Minute} { // 1 token of arguments each
			if _, err := call(t, set, "note", `{}`); err != nil || clock.now.Sub(begin) != want {
				t.Errorf("call %d at %s, want %s: %v", i, clock.now.Sub(begin), want, err)
			}
		}
	})
	t.Run("AAIF-4.4-27 a call above the limit of tokens alone goes through an empty minute", func(t *testing.T) {
		_, at := served(t)
		clock := &clock{begin}
		set := open(t, tool.Options{Operator: operator(), Now: clock.Now, Wait: clock.Wait}, limited(at, 0, 2))
		if _, err := call(t, set, "note", `{"text":"0123456789"}`); err != nil || clock.now != begin {
			t.Errorf("got %v at %s", err, clock.now)
		}
	})
	t.Run("AAIF-4.4-27 limits hold over all runs of a process", func(t *testing.T) {
		fake, at := served(t)
		o := tool.Options{Operator: operator(), Shared: &tool.Shared{}}
		entry := limited(at, 3, 0)
		entry.Timeout = 5
		var all sync.WaitGroup
		for range 5 {
			set := open(t, o, entry)
			all.Go(func() {
				for range 2 {
					_, _ = set.Call(t.Context(), tool.Call{Name: "note"})
				}
			})
		}
		all.Wait()
		if n := fake.Counts()["note"].Calls; n != 3 {
			t.Errorf("%d calls", n)
		}
	})
	t.Run("AAIF-4.4-27 a run that ends does not wait", func(t *testing.T) {
		_, at := served(t)
		set := open(t, tool.Options{Operator: operator()}, limited(at, 1, 0))
		if _, err := call(t, set, "note", `{}`); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err := set.Call(ctx, tool.Call{Name: "note"})
		wantError(t, err, rateLimited, tool.NotSent)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
