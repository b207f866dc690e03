package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// event is one server-sent event.
type event struct {
	id, kind string
	data     struct {
		Type, ID string
		Record   *struct{ Body struct{ Text string } }
	}
}

// follow subscribes and passes on events until stop is called. It returns once
// the stream is open.
func (h *home) follow(addr, token, after string) (events chan event, stop func()) {
	h.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/ump/subscribe", nil)
	if err != nil {
		h.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		h.Fatalf("subscribe: %v, %+v", err, answer)
	}
	lines := bufio.NewScanner(answer.Body)
	if !lines.Scan() || lines.Text() != ": ump subscribe open" {
		h.Fatalf("UMP-3.8-3 the stream begins with %q", lines.Text())
	}
	events = make(chan event, 100)
	go func() {
		defer close(events)
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.kind = value
			case "data":
				if err := json.Unmarshal([]byte(value), &e.data); err != nil {
					h.Errorf("data: %v in %s", err, value)
				}
			case "":
				if lines.Text() == "" && e.id != "" {
					events <- e
					e = event{}
				}
			}
		}
	}()
	return events, func() { cancel(); answer.Body.Close() }
}

// take waits for n events and returns what they say, and the id of the last.
func take(t *testing.T, events chan event, n int) (said []string, last string) {
	t.Helper()
	for range n {
		select {
		case e := <-events:
			line := e.kind + " " + e.data.ID
			if e.kind != e.data.Type {
				t.Errorf("event %s has type %s", e.kind, e.data.Type)
			}
			if e.data.Record != nil {
				line += " " + e.data.Record.Body.Text
			}
			said, last = append(said, line), e.id
		case <-time.After(20 * time.Second):
			t.Fatalf("after %q nothing comes", said)
		}
	}
	return said, last
}

// TestSubscribe has one process tell of what another does to the same store.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	addr, token := h.serve()
	events, stop := h.follow(addr, token, "")
	defer func() { stop() }()
	first := id(h.run("remember", "Use pnpm here", "--tag", "t"))
	h.run("remember", "Use pnpm here", "--tag", "t")
	said, _ := take(t, events, 2)
	want := []string{"created " + first + " Use pnpm here", "merged " + first + " Use pnpm here"}
	if d := cmp.Diff(want, said); d != "" {
		t.Fatal(d)
	}
	began := time.Now()
	h.run("remember", "Sam lives in Bath")
	ran := time.Since(began)
	said, last := take(t, events, 1)
	if took := time.Since(began) - ran; took > time.Second {
		t.Errorf("the change of another process came %v after it had ended", took)
	}
	if !strings.HasSuffix(said[0], "Sam lives in Bath") {
		t.Fatal(said)
	}
	stop() // and what happens while nobody listens is told after
	second := id(h.run("revise", first, "--text", "Use bun here"))
	h.run("forget", second, "--reason", "outdated")
	h.run("forget", second, "--hard", "--yes")
	events, stop = h.follow(addr, token, last)
	said, last = take(t, events, 4)
	want = []string{"revised " + second, "tombstoned " + second, "erased " + second, "erased " + first} // their text is gone
	if d := cmp.Diff(want, said); d != "" {
		t.Fatal(d)
	}
	stop()
	events, stop = h.follow(addr, token, last)
	h.run("remember", "the end")
	if said, _ = take(t, events, 1); !strings.HasSuffix(said[0], " the end") {
		t.Fatalf("once each: %q", said)
	}
}

// TestSubscribeInOrder sees each kind of change while the subscriber listens.
func TestSubscribeInOrder(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	addr, token := h.serve()
	events, stop := h.follow(addr, token, "")
	defer func() { stop() }()
	var all []string
	last := ""
	step := func(n int, args ...string) string {
		t.Helper()
		out := h.run(args...)
		var said []string
		said, last = take(t, events, n)
		all = append(all, said...)
		return out
	}
	first := id(step(1, "remember", "Use pnpm here"))
	step(1, "remember", "Use pnpm here")
	second := id(step(1, "revise", first, "--text", "Use bun here"))
	stop()
	events, stop = h.follow(addr, token, last)
	step(1, "forget", second, "--reason", "outdated")
	stop()
	events, stop = h.follow(addr, token, last)
	step(2, "forget", second, "--hard", "--yes")
	want := []string{"created " + first + " Use pnpm here", "merged " + first + " Use pnpm here", "revised " + second + " Use bun here",
		"tombstoned " + second + " [erased]", "erased " + second, "erased " + first}
	if d := cmp.Diff(want, all); d != "" {
		t.Fatal(d)
	}
}

// id returns the id that a command printed.
func id(out string) string {
	at := strings.Index(out, "urn:ump:")
	if at < 0 {
		return ""
	}
	return strings.Fields(out[at:])[0]
}
