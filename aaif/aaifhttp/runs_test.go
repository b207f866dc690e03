package aaifhttp_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// bench is a platform with one run, which tests move on.
type bench struct {
	mu      sync.Mutex
	run     aaifhttp.Run
	started []aaifhttp.RunStart
	decided []aaifhttp.Decision
	fails   error         // of everything
	waited  error         // of Await
	news    chan struct{} // closed when the run has moved on
	text    chan string   // what a model says
}

var _ aaifhttp.Runs = (*bench)(nil)

const benchRun = "11111111-2222-4333-8444-555555555555"

func newBench() *bench {
	return &bench{run: aaifhttp.Run{RunID: benchRun, AgentID: "a", Status: aaif.Running, Events: 2, Usage: canon.Object()}, news: make(chan struct{})}
}

// moves adds events to the run.
func (b *bench) moves(events int64, s aaif.RunStatus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.run.Events, b.run.Status = b.run.Events+events, s
	close(b.news)
	b.news = make(chan struct{})
}

func (b *bench) now() (aaifhttp.Run, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.run, b.fails
}

func (b *bench) Start(_ context.Context, _ memory.Caller, s aaifhttp.RunStart) (aaifhttp.Run, bool, error) {
	b.started = append(b.started, s)
	r, err := b.now()
	return r, len(b.started) == 1, err
}
func (b *bench) GoOn(context.Context, memory.Caller, string) (aaifhttp.Run, error)   { return b.now() }
func (b *bench) Run(context.Context, memory.Caller, string) (aaifhttp.Run, error)    { return b.now() }
func (b *bench) Resume(context.Context, memory.Caller, string) (aaifhttp.Run, error) { return b.now() }
func (b *bench) Cancel(context.Context, memory.Caller, string) (aaifhttp.Run, error) { return b.now() }
func (b *bench) Remove(context.Context, memory.Caller, string) (bool, error)         { return true, b.fails }

func (b *bench) List(_ context.Context, _ memory.Caller, _ string, _ aaifhttp.RunPlace, limit int) ([]aaifhttp.Run, error) {
	r, err := b.now()
	return slices.Repeat([]aaifhttp.Run{r}, min(limit, 3)), err
}

func (b *bench) Events(_ context.Context, _ memory.Caller, _ string, after int64, limit int) (all []aaifhttp.RunEvent, ended bool, err error) {
	r, err := b.now()
	for n := after + 1; n <= r.Events && len(all) < limit; n++ {
		all = append(all, aaifhttp.RunEvent{Number: n, Kind: "noted", Document: canon.Object(canon.Member{Name: "text", Value: canon.String("a\nb")})})
	}
	return all, r.Status.Ended() && after+int64(len(all)) >= r.Events, err
}

func (b *bench) Await(ctx context.Context, _ memory.Caller, _ string, after int64) error {
	b.mu.Lock()
	news, moved, err := b.news, b.run.Events > after || b.run.Status.Ended(), b.waited
	b.mu.Unlock()
	if moved || err != nil {
		return err
	}
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *bench) Checkpoint(context.Context, memory.Caller, string) (canon.Value, error) {
	return canon.Object(), b.fails
}

func (b *bench) Text(memory.Caller, string) (<-chan string, func()) { return b.text, func() {} }

func (b *bench) Decide(_ context.Context, _ memory.Caller, _ string, d aaifhttp.Decision) (aaifhttp.Run, error) {
	b.decided = append(b.decided, d)
	return b.now()
}

func TestRunRoutes(t *testing.T) {
	b := newBench()
	s := serve(t, aaifhttp.Options{Runs: b})
	const run = "/aaif/runs/" + benchRun
	t.Run("methods", func(t *testing.T) {
		for path, allow := range map[string]string{
			"/aaif/runs": "GET, HEAD", "/aaif/agents/a/runs": "POST", run: "GET, HEAD, DELETE", run + "/events": "GET, HEAD", run + "/state": "GET, HEAD",
			run + "/approval": "POST", run + "/cancel": "POST", run + "/resume": "POST", "/aaif/states/x/resume": "POST",
		} {
			if got := s.do("PUT", path, ""); got.StatusCode != 405 || got.Header.Get("Allow") != allow {
				t.Errorf("%s: %d %v", path, got.StatusCode, got.Header)
			}
			if route, ok := aaifhttp.PathOf(path); !ok || strings.Contains(route, benchRun) {
				t.Errorf("%s is the route %s", path, route)
			}
		}
		for _, path := range []string{run + "/", run + "/other", run + "/events/1", "/aaif/runs/", "/aaif/runs//events", "/aaif/agents//runs", "/aaif/agents/a%2Fruns"} {
			s.do("GET", path, "").refused(t, 404, "NOT_FOUND")
		}
	})
	t.Run("a start, twice", func(t *testing.T) {
		for i, status := range []int{201, 200} {
			got := s.do("POST", "/aaif/agents/a/runs", `{"input":"x"}`, "Idempotency-Key: k")
			if v := got.object(t, status); got.Header.Get("Location") != run || v.Get("status").Text() != "running" {
				t.Errorf("%v %s", got.Header, got.body)
			}
			if at := b.started[i]; at.RunID == "" || at.RunID != b.started[0].RunID || at.AgentID != "a" {
				t.Errorf("%+v", at)
			}
		}
		s.do("POST", "/aaif/agents/a/runs", `{"input":"x"}`).object(t, 200)
		s.do("POST", "/aaif/agents/a/runs", `{"input":"x"}`, "Idempotency-Key: l").object(t, 200)
		if b.started[2].RunID != "" || b.started[3].RunID == b.started[0].RunID {
			t.Errorf("%+v", b.started)
		}
	})
	t.Run("a platform that is about to stop lets nobody wait", func(t *testing.T) {
		b.waited = aaifhttp.Stopping()
		defer func() { b.waited = nil }()
		began := time.Now()
		s.do("POST", "/aaif/agents/a/runs?wait=200", `{"input":"x"}`).object(t, 200)
		if time.Since(began) > 10*time.Second {
			t.Error("it waited")
		}
	})
	t.Run("who waits is answered when the run ends, or the time is over", func(t *testing.T) {
		if v := s.do("POST", "/aaif/agents/a/runs", `{"input":"x"}`, "Prefer: respond-async, wait=1").object(t, 200); v.Get("status").Text() != "running" {
			t.Errorf("%s", v.Append(nil))
		}
		time.AfterFunc(50*time.Millisecond, func() { b.moves(1, aaif.Completed) })
		if v := s.do("POST", "/aaif/agents/a/runs?wait=200", `{"input":"x"}`).object(t, 200); v.Get("status").Text() != "completed" || !v.Has("output") {
			t.Errorf("%s", v.Append(nil))
		}
		b.moves(0, aaif.Running)
	})
	t.Run("a decision", func(t *testing.T) {
		for _, body := range []string{`{}`, `{"decision":"maybe"}`, `{"decision":"approve"}`, `{"decision":"approve","digest":1}`, `{"decision":"reject","who":"me"}`, `{"decision":"reject","why":"` + strings.Repeat("x", 5000) + `"}`, `[]`} {
			if got := s.do("POST", run+"/approval", body); got.StatusCode != 422 {
				t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
			}
		}
		s.do("POST", run+"/approval", `{"decision":"reject","why":"`+strings.Repeat("x", 20_000)+`"}`).refused(t, 413, aaif.TooLarge)
		s.do("POST", run+"/approval", `{"decision":"approve","digest":"d","call":"c"}`).object(t, 200)
		s.do("POST", run+"/approval", `{"decision":"reject","why":"no"}`).object(t, 200)
		if want := []aaifhttp.Decision{{Call: "c", Digest: "d", Approve: true}, {Why: "no"}}; !slices.Equal(b.decided, want) {
			t.Errorf("%+v", b.decided)
		}
	})
	t.Run("refusals have the status of their code", func(t *testing.T) {
		defer func() { b.fails = nil }()
		for code, status := range map[aaif.Code]int{aaifhttp.RunHeld: 409, aaifhttp.RunExists: 409, aaifhttp.RunCopied: 409, aaif.ApprovalMismatch: 409, aaif.ApprovalTimeout: 409,
			aaif.StateLeft: 409, aaif.StateTransition: 409, aaif.AuditUnavailable: 503, aaif.UnsatisfiedCapabilities: 409} {
			b.fails = &aaif.Fault{Code: code, Text: "no"}
			s.do("POST", run+"/resume", "").refused(t, status, code)
			s.do("GET", run+"/events", "").refused(t, status, code)
		}
	})
	t.Run("lists", func(t *testing.T) {
		page := s.do("GET", "/aaif/runs?limit=2", "").object(t, 200)
		if page.Get("next").Text() == "" || len(page.Get("runs").Items()) != 2 {
			t.Errorf("%s", page.Append(nil))
		}
		s.do("GET", page.Get("next").Text(), "").object(t, 200)
		for _, query := range []string{"after=x", "limit=0", "agent=a&agent=b", "state=x"} {
			s.do("GET", "/aaif/runs?"+query, "").refused(t, 400, "INVALID_PARAMETER")
		}
		for _, query := range []string{"after=-1", "after=x"} {
			s.do("GET", run+"/events?"+query, "").refused(t, 400, "INVALID_PARAMETER")
		}
	})
	t.Run("removed", func(t *testing.T) {
		if v := s.do("DELETE", run, "").object(t, 200); !v.Get("pending").True() {
			t.Errorf("%s", v.Append(nil))
		}
	})
	t.Run("others", func(t *testing.T) {
		s.as = memory.Agent
		s.do("GET", "/aaif/runs", "").refused(t, 403, "FORBIDDEN")
		s.as = memory.Owner
		s.do("GET", "/aaif/runs", "", "Authorization:").refused(t, 401, "UNAUTHORIZED")
	})
}

// reader is a client of a stream, whose pieces go to a channel.
type reader struct {
	*httptest.ResponseRecorder
	pieces chan string
}

func (r reader) Write(p []byte) (int, error) {
	r.pieces <- string(p)
	return len(p), nil
}

func TestRunEvents(t *testing.T) {
	const path = "/aaif/runs/" + benchRun + "/events"
	// streams opens a stream, and returns its pieces until it ends.
	streams := func(s *site, header ...string) (pieces chan string, leave context.CancelFunc) {
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "GET", path, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+token)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		out := reader{httptest.NewRecorder(), make(chan string, 100)}
		go func() {
			defer close(out.pieces)
			s.ServeHTTP(out, r)
		}()
		return out.pieces, leave
	}
	numbers := func(pieces chan string) (all string) {
		for p := range pieces {
			if id, _, ok := strings.Cut(strings.TrimPrefix(p, "id: "), "\n"); ok && strings.HasPrefix(p, "id: ") {
				all += id + " "
			}
		}
		return all
	}
	t.Run("from the first to the last, and from the middle", func(t *testing.T) {
		b := newBench()
		s := serve(t, aaifhttp.Options{Runs: b})
		whole, leave := streams(s)
		defer leave()
		part, leave := streams(s, "Last-Event-ID", "2")
		defer leave()
		for range 3 {
			time.Sleep(5 * time.Millisecond)
			b.moves(40, aaif.Running)
		}
		b.moves(1, aaif.Completed)
		want := ""
		for n := range 123 {
			want += fmt.Sprint(n+1) + " "
		}
		if got := numbers(whole); got != want {
			t.Errorf("%s", got)
		}
		if got := numbers(part); got != strings.TrimPrefix(want, "1 2 ") {
			t.Errorf("%s", got)
		}
		if got := s.do("GET", path, "", "Last-Event-ID: 123"); got.StatusCode != 204 {
			t.Errorf("and then %d", got.StatusCode)
		}
		head := s.do("HEAD", path, "")
		if head.StatusCode != 200 || head.Header.Get("Content-Type") != "text/event-stream" || len(head.body) != 0 {
			t.Errorf("%d %v %s", head.StatusCode, head.Header, head.body)
		}
		if got := s.do("GET", path, ""); !bytes.Contains(got.body, []byte("id: 1\nevent: noted\ndata: {\"text\":\"a\\nb\"}\n\n")) {
			t.Errorf("%s", got.body)
		}
	})
	t.Run("signs of life, until the credentials end", func(t *testing.T) {
		b := newBench()
		s := serve(t, aaifhttp.Options{Runs: b, Heartbeat: 10 * time.Millisecond})
		pieces, leave := streams(s)
		defer leave()
		for p := range pieces {
			if p == ": alive\n\n" {
				break
			}
		}
		s.barred.Store(true)
		select {
		case <-drained(pieces):
		case <-time.After(10 * time.Second):
			t.Error("the stream goes on")
		}
	})
	t.Run("a client that leaves", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{Runs: newBench()})
		pieces, leave := streams(s)
		<-pieces
		leave()
		select {
		case <-drained(pieces):
		case <-time.After(10 * time.Second):
			t.Error("the stream goes on")
		}
	})
}

// drained is closed when pieces is.
func drained(pieces chan string) chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range pieces {
		}
	}()
	return done
}
