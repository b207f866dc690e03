package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// TestRuns follows a run over HTTP, from its start to its removal.
func TestRuns(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("look", "book"), wants("pay"), replies("Done."))...)
	d := o.serve(t, nil)
	d.takes(t, asksFirst)
	waits := d.starts(t, "?wait=60", "Idempotency-Key: first")
	id := waits.Get("run_id").Text()
	call, _ := waits.At("/waits/0")
	if waits.Get("status").Text() != "awaiting_approval" || call.Get("tool").Text() != "pay" || call.Get("why").Text() == "" || call.Get("digest").Text() == "" || call.Get("arguments").Get("n").Type() != canon.TypeNumber {
		t.Fatalf("%s", waits.Append(nil))
	}
	run := "/aaif/runs/" + id
	t.Run("a start that is repeated starts nothing", func(t *testing.T) {
		again := d.do(t, "POST", "/aaif/agents/"+clerkID+"/runs", `{"input":"Book number 1."}`, asJSON, "Idempotency-Key: first").object(t, 200)
		if again.Get("run_id").Text() != id || len(o.model.Requests()) != 2 {
			t.Errorf("%s", again.Append(nil))
		}
		other := d.do(t, "POST", "/aaif/agents/"+clerkID+"/runs", `{"input":"Book number 2."}`, asJSON, "Idempotency-Key: first")
		if other.StatusCode != 409 || aaifCode(t, other.body) != "RUN_EXISTS" {
			t.Errorf("%d %s", other.StatusCode, other.body)
		}
	})
	t.Run("AAIF-4.9-18 what was not shown is not approved", func(t *testing.T) {
		for body, code := range map[string]string{
			`{"call":"pay0","digest":"` + strings.Repeat("0", 64) + `","decision":"approve"}`:    "APPROVAL_MISMATCH",
			`{"call":"other","digest":"` + call.Get("digest").Text() + `","decision":"approve"}`: "STATE_TRANSITION",
			`{"call":"other","digest":"` + call.Get("digest").Text() + `","decision":"reject"}`:  "STATE_TRANSITION",
		} {
			if got := d.do(t, "POST", run+"/approval", body, asJSON); got.StatusCode != 409 || string(aaifCode(t, got.body)) != code {
				t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
			}
		}
		if got := d.do(t, "POST", run+"/resume", ""); got.StatusCode != 409 || aaifCode(t, got.body) != "STATE_TRANSITION" {
			t.Errorf("resumed without an answer: %d %s", got.StatusCode, got.body)
		}
		if n := o.tools.Counts()["pay"].Calls; n != 0 {
			t.Errorf("%d calls", n)
		}
	})
	first := d.listen(t, id, "", func(e heardEvent) bool { return e.id == "4" })
	t.Run("events as a list", func(t *testing.T) {
		page := d.do(t, "GET", run+"/events?limit=3", "", "Accept: application/json").object(t, 200)
		if n := len(page.Get("events").Items()); n != 3 || page.Get("last").Float() != 3 || page.Get("ended").True() {
			t.Errorf("%s", page.Append(nil))
		}
	})
	var rest []heardEvent
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		rest = d.listen(t, id, "4", func(heardEvent) bool { return false })
	}()
	d.do(t, "POST", run+"/approval", `{"call":"pay0","digest":"`+call.Get("digest").Text()+`","decision":"approve"}`, asJSON).object(t, 200)
	done := d.becomes(t, id, "completed")
	if c := o.tools.Counts(); done.Get("output").Text() != "Done." || c["pay"].Writes != 1 || c["book"].Writes != 1 || done.Get("turns").Float() != 3 || done.Get("usage").Get("input_tokens").Float() < 30 {
		t.Errorf("%v, %s", c, done.Append(nil))
	}
	t.Run("a stream that is resumed has every event once, and ends", func(t *testing.T) {
		select {
		case <-heard:
		case <-time.After(20 * time.Second):
			t.Fatal("the stream does not end")
		}
		all := append(first, rest...)
		for i, e := range all {
			if e.id != fmt.Sprint(i+1) || e.data.Get("number").Float() != float64(i+1) || e.data.Get("kind").Text() != e.kind {
				t.Errorf("event %d is %s %s", i+1, e.id, e.data.Append(nil))
			}
		}
		if n := len(all); float64(n) != done.Get("events").Float() || all[0].kind != "started" || all[n-1].kind != "completed" {
			t.Errorf("%d events of %s", n, done.Append(nil))
		}
		if more := d.listen(t, id, fmt.Sprint(len(all)), func(heardEvent) bool { return true }); more != nil {
			t.Errorf("and then %+v", more)
		}
	})
	t.Run("what has ended is decided", func(t *testing.T) {
		for _, path := range []string{"/cancel", "/resume"} {
			if got := d.do(t, "POST", run+path, ""); got.StatusCode != 409 || aaifCode(t, got.body) != "STATE_TRANSITION" {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
	})
	t.Run("AAIF-12-11 a checkpoint is not shown in the clear", func(t *testing.T) {
		if got := d.do(t, "GET", run+"/state", ""); got.StatusCode != 426 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
	t.Run("lists and metrics", func(t *testing.T) {
		second := d.starts(t, "?wait=60", "Prefer: respond-async")
		page := d.do(t, "GET", "/aaif/runs?limit=1&agent="+clerkID, "").object(t, 200)
		if at, _ := page.At("/runs/0/run_id"); at.Text() != second.Get("run_id").Text() || page.Get("next").Text() == "" {
			t.Fatalf("%s", page.Append(nil))
		}
		page = d.do(t, "GET", page.Get("next").Text(), "").object(t, 200)
		if at, _ := page.At("/runs/0"); at.Get("run_id").Text() != id || at.Get("status").Text() != "completed" || at.Has("output") || page.Has("next") {
			t.Errorf("%s", page.Append(nil))
		}
		if none := d.do(t, "GET", "/aaif/runs?agent=other", "").object(t, 200); len(none.Get("runs").Items()) != 0 {
			t.Errorf("%s", none.Append(nil))
		}
		d.rests(t)
		got := string(d.do(t, "GET", "/metrics", "").body)
		for _, part := range []string{`satchel_agent_runs_ended_total{status="completed"} 1`, "satchel_agent_runs_executing 0", `route="/aaif/runs/{id}/events"`, `route="/aaif/agents/{id}/runs"`} {
			if !strings.Contains(got, part) {
				t.Errorf("there is no %s", part)
			}
		}
		if strings.Contains(got, id) {
			t.Error("an id is among them")
		}
	})
	t.Run("removed", func(t *testing.T) {
		d.do(t, "DELETE", run, "").object(t, 200)
		for _, path := range []string{"", "/events"} {
			if got := d.do(t, "GET", run+path, ""); got.StatusCode != 404 {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
	})
}

// TestRunsAreTheOwners: nobody else starts, sees or decides about runs.
func TestRunsAreTheOwners(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("pay"), replies("Done."))...)
	d := o.serve(t, nil)
	d.takes(t, asksFirst)
	id := d.starts(t, "?wait=60").Get("run_id").Text()
	peer, _, err := d.vault.MintToken(t.Context(), d.me(), vault.TokenOrder{Verbs: memory.Verbs(), Expires: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"POST /aaif/agents/" + clerkID + "/runs", "GET /aaif/runs", "GET /aaif/runs/" + id, "GET /aaif/runs/" + id + "/events", "GET /aaif/runs/" + id + "/state",
		"POST /aaif/runs/" + id + "/approval", "POST /aaif/runs/" + id + "/cancel", "POST /aaif/runs/" + id + "/resume", "DELETE /aaif/runs/" + id, "POST /aaif/states/x/resume", "POST /aaif/events"} {
		method, path, _ := strings.Cut(at, " ")
		if got := d.do(t, method, path, "{}", asJSON, stranger); got.StatusCode != 401 {
			t.Errorf("%s without a token: %d %s", at, got.StatusCode, got.body)
		}
		if got := d.do(t, method, path, "{}", asJSON, "Authorization: Bearer "+peer); got.StatusCode != 403 {
			t.Errorf("%s with a capability token: %d %s", at, got.StatusCode, got.body)
		}
		nobody := strings.Replace(path, id, "99999999-2222-4333-8444-555555555555", 1)
		body := map[bool]string{true: `{"decision":"reject"}`, false: ""}[strings.HasSuffix(path, "approval")]
		if got := d.do(t, method, nobody, body, asJSON); nobody != path && !strings.HasSuffix(path, "/state") && got.StatusCode != 404 {
			t.Errorf("%s of a run that is not there: %d %s", at, got.StatusCode, got.body)
		}
	}
	if r := d.becomes(t, id, "awaiting_approval"); r.Get("events").Float() == 0 || o.tools.Counts()["pay"].Calls != 0 {
		t.Errorf("%s", r.Append(nil))
	}
	t.Run("what is set up here is for this owner's runs alone", func(t *testing.T) {
		other, theirs := memory.Caller{Owner: seeded(t, 9).DID(), Role: memory.Owner}, "31111111-2222-4333-8444-555555555555"
		if _, err := d.vault.AddOwner(t.Context(), d.me(), vault.AccountOrder{Key: seeded(t, 9), Label: "ada"}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.service.Intake(t.Context(), other, []byte(o.clerk()), aaif.IntakeOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.host.Start(t.Context(), other, host.Start{RunID: theirs, Agent: clerkID, Input: canon.String("x")}); err != nil {
			t.Fatal(err)
		}
		asked := len(o.model.Requests())
		mine := d.starts(t, "?wait=60").Get("run_id").Text() // and theirs was due before
		for _, path := range []string{"", "/events", "/cancel"} {
			method := map[bool]string{true: "POST", false: "GET"}[path == "/cancel"]
			if got := d.do(t, method, "/aaif/runs/"+theirs+path, ""); got.StatusCode != 404 {
				t.Errorf("%s of another owner's run: %d %s", path, got.StatusCode, got.body)
			}
		}
		if r, _, err := d.host.Get(t.Context(), other, theirs); err != nil || r.Events > 2 || len(o.model.Requests()) != asked+1 {
			t.Errorf("another owner's run goes on: %+v, %v", r, err)
		}
		d.do(t, "POST", "/aaif/runs/"+mine+"/cancel", "").object(t, 200)
	})
	t.Run("no routes where no agent runs", func(t *testing.T) {
		p, _ := platform(t)
		s := start(t, server.Options{Agents: p})
		for _, at := range []string{"GET /aaif/runs", "POST /aaif/agents/" + clerkID + "/runs"} {
			method, path, _ := strings.Cut(at, " ")
			if got := s.do(t, method, path, ""); got.StatusCode != 404 {
				t.Errorf("%s: %d %s", at, got.StatusCode, got.body)
			}
		}
	})
	t.Run("a server that only reads starts and decides nothing", func(t *testing.T) {
		reads := o.serve(t, func(v *vault.Options, _ *server.Options) { v.ReadOnly = true })
		if r := reads.do(t, "GET", "/aaif/runs/"+id, "").object(t, 200); r.Get("status").Text() != "awaiting_approval" {
			t.Errorf("%s", r.Append(nil))
		}
		for path, body := range map[string]string{"/aaif/agents/" + clerkID + "/runs": `{"input":"x"}`, "/aaif/runs/" + id + "/approval": `{"decision":"reject"}`, "/aaif/runs/" + id + "/cancel": ""} {
			if got := reads.do(t, "POST", path, body, asJSON); got.StatusCode != 403 && got.StatusCode != 501 {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
		d.becomes(t, id, "awaiting_approval")
	})
}

// TestRunRequests: requests that say nothing clear start nothing.
func TestRunRequests(t *testing.T) {
	t.Parallel()
	o := newOffice(t, replies("Done."))
	d := o.serve(t, nil)
	d.takes(t)
	path := "/aaif/agents/" + clerkID + "/runs"
	for _, c := range []struct {
		name, path, body string
		header           []string
		status           int
	}{
		{"nothing to do", path, `{}`, nil, 422},
		{"no object", path, `[]`, nil, 422},
		{"no JSON", path, `{`, nil, 422},
		{"a member that is not known", path, `{"input":"x","model":"y"}`, nil, 422},
		{"a limit that is not known", path, `{"input":"x","limits":{"dollars":1}}`, nil, 422},
		{"a limit that is none", path, `{"input":"x","limits":{"turns":0}}`, nil, 422},
		{"a limit of money that is none", path, `{"input":"x","limits":{"usd":-1}}`, nil, 422},
		{"an id that is none", path, `{"input":"x","run_id":"1"}`, nil, 422},
		{"variables that are none", path, `{"input":"x","variables":[]}`, nil, 422},
		{"a revision that is not here", path, `{"input":"x","revision":7}`, nil, 404},
		{"an agent that is not here", "/aaif/agents/other/runs", `{"input":"x"}`, nil, 404},
		{"a form", path, `input=x`, []string{"Content-Type: application/x-www-form-urlencoded"}, 415},
		{"a wait without end", path + "?wait=86400", `{"input":"x"}`, nil, 400},
		{"a parameter that is not known", path + "?model=x", `{"input":"x"}`, nil, 400},
		{"a key that is too long", path, `{"input":"x"}`, []string{"Idempotency-Key: " + strings.Repeat("k", 300)}, 400},
		{"too much", path, `{"input":"` + strings.Repeat("x", 2<<20) + `"}`, nil, 413},
		{"a slash within an id", "/aaif/agents/" + clerkID + "%2Fruns", `{"input":"x"}`, nil, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := d.do(t, "POST", c.path, c.body, append([]string{asJSON}, c.header...)...); got.StatusCode != c.status || aaifCode(t, got.body) == "" {
				t.Errorf("%d, want %d: %s", got.StatusCode, c.status, got.body)
			}
		})
	}
	if list := d.do(t, "GET", "/aaif/runs", "").object(t, 200); len(list.Get("runs").Items()) != 0 || len(o.model.Requests()) != 0 {
		t.Errorf("%s", list.Append(nil))
	}
	if got := d.do(t, "GET", path, ""); got.StatusCode != 405 || got.Header.Get("Allow") != "POST" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	r := d.do(t, "POST", path, `{"input":{"a":["<&>"]},"variables":{"v":1},"limits":{"turns":3,"seconds":9,"call_seconds":8,"wait_seconds":7,"tokens":6,"usd":0.5},"revision":1,"run_id":"11111111-2222-4333-8444-555555555555"}`,
		asJSON, "Prefer: wait=60")
	if v := r.object(t, 201); v.Get("output").Text() != "Done." || r.Header.Get("Preference-Applied") != "wait=60" || r.Header.Get("Location") != "/aaif/runs/11111111-2222-4333-8444-555555555555" {
		t.Errorf("%v %s", r.Header, r.body)
	}
	began := d.do(t, "GET", r.Header.Get("Location")+"/events?limit=1", "", "Accept: application/json").object(t, 200)
	if limits, _ := began.At("/events/0/start/limits"); limits.Get("turns").Float() != 3 || limits.Get("seconds").Float() != 9 || limits.Get("call_seconds").Float() != 8 || limits.Get("wait_seconds").Float() != 7 || limits.Get("tokens").Float() != 6 || limits.Get("usd").Float() != .5 {
		t.Errorf("%s", began.Append(nil))
	}
}

// TestRunsShared: of two servers with one store, one executes each run, and one of them
// goes on where the other stops.
func TestRunsShared(t *testing.T) {
	t.Parallel()
	slow := scripted(wants("pay"), wants("pay"), replies("Done."))
	slow[0].Delay, slow[1].Delay = 100, 100
	slow[1].Calls[0].ID = "again"
	o := newOffice(t, slow...)
	two := []*desk{o.serve(t, nil), o.serve(t, nil)}
	two[0].takes(t, `"runtime":{"concurrency":8}`)
	const runs = 8
	ids := make([]string, runs)
	var all sync.WaitGroup
	for i := range runs {
		all.Go(func() { ids[i] = two[i%2].starts(t, "").Get("run_id").Text() })
	}
	all.Wait()
	for i, id := range ids {
		two[(i+1)%2].becomes(t, id, "completed")
	}
	if n, m := o.tools.Counts()["pay"].Writes, len(o.model.Requests()); n != 2*runs || m != 3*runs {
		t.Errorf("%d writes, and %d questions to the model", n, m)
	}
	two[0].rests(t)
	two[1].rests(t)
	_, here := two[0].host.Executing()
	_, there := two[1].host.Executing()
	if here["completed"]+there["completed"] != runs {
		t.Errorf("%v and %v", here, there)
	}
}

// TestRunCancelled: a run is cancelled while a tool hangs, by the server that executes it
// and by another one.
func TestRunCancelled(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("pay"), replies("Done."))...)
	two := []*desk{o.serve(t, nil), o.serve(t, nil)}
	two[0].takes(t)
	o.tools.SetFault("pay", faketool.Fault{Kind: faketool.HangBefore})
	for i, name := range []string{"by the same server", "by the same or another one"} {
		t.Run(name, func(t *testing.T) {
			id := two[0].starts(t, "").Get("run_id").Text()
			two[0].becomes(t, id, "awaiting_tool_result")
			for began := time.Now(); o.tools.Counts()["pay"].Calls != i+1 && time.Since(began) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
			}
			if got := two[0].do(t, "POST", "/aaif/runs/"+id+"/resume", ""); got.StatusCode != 409 || aaifCode(t, got.body) != "RUN_HELD" {
				t.Errorf("resumed while it is executed: %d %s", got.StatusCode, got.body)
			}
			r := two[i].do(t, "POST", "/aaif/runs/"+id+"/cancel", "").object(t, 200)
			if at := r.Get("error"); r.Get("status").Text() != "failed" || at.Get("code").Text() != "CANCELLED" || at.Get("step").Text() != "tool:pay" || at.Get("occurred_at").Text() == "" {
				t.Errorf("AAIF-4.6-10: %s", r.Append(nil))
			}
			two[0].rests(t)
			two[1].rests(t)
			if again := two[0].do(t, "GET", "/aaif/runs/"+id, "").object(t, 200); again.Get("events").Float() != r.Get("events").Float() {
				t.Errorf("it went on: %s", again.Append(nil))
			}
		})
	}
	if n := len(o.model.Requests()); n != 2 {
		t.Errorf("%d questions to the model", n)
	}
}

// TestRunsWhenAServerStops: a server that stops begins nothing more, and another one goes on
// at once.
func TestRunsWhenAServerStops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool   string
		grace  time.Duration
		delay  int
		writes int
		fails  bool // the server says that it had to cut something off
	}{
		"after what is under way":                  {"book", 20 * time.Second, 600, 1, false},
		"a call that can be repeated is made once": {"book", 300 * time.Millisecond, 0, 1, true},
		"one that cannot is not repeated":          {"pay", 300 * time.Millisecond, 0, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			steps := scripted(wants(c.tool), replies("Done."))
			steps[0].Delay = c.delay
			o := newOffice(t, steps...)
			first := o.serve(t, func(_ *vault.Options, s *server.Options) { s.Grace = c.grace })
			first.takes(t)
			if c.fails {
				o.tools.SetFault(c.tool, faketool.Fault{Kind: faketool.HangAfter, Times: 1, Honour: true})
			}
			id := first.starts(t, "").Get("run_id").Text()
			for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(10 * time.Millisecond) {
				if len(o.model.Requests()) == 1 && (!c.fails || o.tools.Counts()[c.tool].Calls == 1) {
					break
				}
			}
			first.stop()
			stopped := <-first.ended
			if (stopped != nil) != c.fails {
				t.Errorf("it ended with %v", stopped)
			}
			if n := len(o.model.Requests()); n != 1 {
				t.Errorf("%d questions to the model", n)
			}
			began := time.Now()
			second := o.serve(t, nil)
			r := second.becomes(t, id, "completed")
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it went on after %v", took)
			}
			if n := o.tools.Counts()[c.tool].Writes; n != c.writes || r.Get("output").Text() != "Done." {
				t.Errorf("%d writes; %s", n, r.Append(nil))
			}
		})
	}
}
