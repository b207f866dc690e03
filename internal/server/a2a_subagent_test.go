package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/remote"
	runtool "github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/server"
)

// TestPeerAsSubagent: an agent on one platform works for an agent on another, and waits for its
// own owner. The other platform is stopped meanwhile; its next process asks for the same task.
func TestPeerAsSubagent(t *testing.T) {
	t.Parallel()
	there := newOffice(t, scripted(wants("book"), wants("pay"), replies("Booked and paid."))...)
	d, s := there.open(t, nil)
	l := listen(t)
	var mu sync.Mutex
	var heads []http.Header
	at, err := url.Parse("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) }}
	street := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		heads = append(heads, r.Header.Clone())
		mu.Unlock()
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { street.CloseClientConnections(); street.Close() })
	s.Served = server.Served{Agents: []string{clerkID}, Keeper: d.service, URL: street.URL}
	d.running = startOn(t, l, there.key.DID(), s)
	d.takes(t, asksFirst)
	bearer := strings.TrimPrefix(d.peer(t), "Authorization: Bearer ")
	card := street.URL + "/.well-known/agent-card.json"

	here := newOffice(t)
	b, _ := here.open(t, nil)
	const leadID, runID, incoming = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a99", "51111111-2222-4333-8444-555555555555", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	lead := `{"sc_standard":"SC-006","agent_id":"` + leadID + `","agent":{"name":"Lead","goal":"Have it booked.","version":"1.0.0","model":{"provider":"openai","preferred":"m"},` +
		`"orchestration":{"role":"orchestrator","subagents":[{"ref":"` + card + `","alias":"clerk"}],"pipeline":["clerk"]}}}`
	if _, err := b.service.Intake(t.Context(), b.me(), []byte(lead), aaif.IntakeOptions{}); err != nil {
		t.Fatal(err)
	}
	tools := runtool.Operator{Egress: []string{"127.0.0.1"}, Agents: []runtool.Elsewhere{{Card: card, Env: "T", Idempotent: true}}}
	asks := remote.New(remote.Options{Settings: func() (runtool.Operator, func(string) (string, bool), error) {
		return tools, func(string) (string, bool) { return bearer, true }, nil
	}})
	open := func() *host.Host {
		return host.New(host.Options{Vault: b.vault, Agents: b.service, Now: time.Now, Platform: "b.example", Release: "1.0.0", Lease: time.Second, Remote: asks, Settings: host.Settings{
			Models: route.Operator{Providers: []route.Provider{{Name: "openai", BaseURL: here.modelAt + "/v1", Regions: []string{"EU"}}}}, Keys: noKeys{}, Tools: tools,
		}})
	}
	first := open()
	if _, err := first.Start(trace.With(t.Context(), trace.Parse(incoming)), b.me(), host.Start{RunID: runID, Agent: leadID, Input: canon.String("Book number 1.")}); err != nil {
		t.Fatal(err)
	}
	done := make(chan run.Run, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		_, err := first.Continue(ctx, b.me(), runID, run.ContinueOptions{Resumes: true})
		if err == nil {
			t.Error("the first host was not stopped")
		}
		done <- run.Run{}
	}()
	var task canon.Value
	for began := time.Now(); task.Get("status").Text() != "awaiting_approval"; time.Sleep(20 * time.Millisecond) {
		if task, _ = d.do(t, "GET", "/aaif/runs?limit=1", "").object(t, 200).At("/runs/0"); time.Since(began) > 20*time.Second {
			t.Fatal("the agent elsewhere got no task")
		}
	}
	stop()
	<-done
	go func() {
		r, err := open().Continue(t.Context(), b.me(), runID, run.ContinueOptions{Resumes: true})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	id := task.Get("run_id").Text()
	call, _ := d.do(t, "GET", "/aaif/runs/"+id, "").object(t, 200).At("/waits/0")
	d.do(t, "POST", "/aaif/runs/"+id+"/approval", `{"call":"`+call.Get("call").Text()+`","digest":"`+call.Get("digest").Text()+`","decision":"approve"}`, asJSON).object(t, 200)
	r := <-done
	if r.Status != aaif.Completed || !strings.Contains(r.Output, "Booked and paid.") {
		t.Errorf("%s %q %+v", r.Status, r.Output, r.Err)
	}
	if c := there.tools.Counts(); c["book"].Writes != 1 || c["pay"].Writes != 1 {
		t.Errorf("%+v", c)
	}
	t.Run("AAIF-U.I-2 an agent elsewhere is told of the trace", func(t *testing.T) {
		mu.Lock()
		defer mu.Unlock()
		for _, h := range heads {
			if said := trace.Parse(h.Get("Traceparent")); said.Trace != trace.Parse(incoming).Trace {
				t.Errorf("it is told %q", h.Get("Traceparent"))
			}
		}
		if len(heads) < 3 {
			t.Errorf("%d requests", len(heads))
		}
	})
}
