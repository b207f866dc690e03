package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
)

// askers counts the requests that a model answers at once. The model answers none before
// enough is closed, however busy the machine is, but it waits no longer than 20 seconds.
type askers struct {
	http.Handler
	now, most atomic.Int64
	enough    atomic.Pointer[chan struct{}]
}

func (c *askers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := c.now.Add(1)
	for seen := c.most.Load(); n > seen && !c.most.CompareAndSwap(seen, n); seen = c.most.Load() {
	}
	defer c.now.Add(-1)
	select {
	case <-*c.enough.Load():
	case <-time.After(20 * time.Second):
	case <-r.Context().Done():
	}
	c.Handler.ServeHTTP(w, r)
}

// hold lets the model wait. The function that it returns ends that, and may be called again.
func (c *askers) hold() (release func()) {
	enough := make(chan struct{})
	c.enough.Store(&enough)
	return sync.OnceFunc(func() { close(enough) })
}

// become waits until so many requests were answered at once, or for 20 seconds.
func (c *askers) become(most int64) {
	for began := time.Now(); c.most.Load() < most && time.Since(began) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
	}
}

// counted counts the requests to the office's model.
func (o *office) counted(t *testing.T) *askers {
	c := &askers{Handler: o.model}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	o.modelAt = s.URL
	return c
}

// job starts a run of the clerk as a job.
func (d *desk) job(t *testing.T, header ...string) string {
	t.Helper()
	got := d.do(t, "POST", "/aaif/agents/"+clerkID+"/runs", `{"input":"Book number 1."}`, append(header, asJSON)...)
	v := got.object(t, 202)
	if id := v.Get("job_id").Text(); id == "" || got.Header.Get("Location") != "/aaif/runs/"+id {
		t.Fatalf("%v %s", got.Header, got.body)
	}
	return v.Get("job_id").Text()
}

const preferJob = "Prefer: respond-async"

// TestConcurrency: two servers with one store never execute more runs of an agent at once than
// its definition allows.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	slow := replies("Done.")
	slow.Delay = 40
	o := newOffice(t, scripted(slow)...)
	c := o.counted(t)
	two := []*desk{o.serve(t, nil), o.serve(t, nil)}
	two[0].takes(t, `"runtime":{"concurrency":2}`)
	t.Run("AAIF-4.6-3 of ten jobs two are executed at once", func(t *testing.T) {
		release := c.hold()
		var ids [10]string
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() { ids[i] = two[i%2].job(t, preferJob) })
		}
		all.Wait()
		c.become(2)
		release()
		for i, id := range ids {
			two[i%2].becomes(t, id, "completed")
		}
		if got := c.most.Load(); got != 2 {
			t.Errorf("%d at once", got)
		}
	})
	t.Run("AAIF-4.6-3 more than two that wait for an answer are refused", func(t *testing.T) {
		release := c.hold() // until one is refused
		var crowded, completed atomic.Int64
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				got := two[i%2].do(t, "POST", "/aaif/agents/"+clerkID+"/runs?wait=60", `{"input":"Book number 1."}`, asJSON)
				switch {
				case got.StatusCode == 429 && aaifCode(t, got.body) == "CONCURRENCY_LIMIT":
					crowded.Add(1)
					release()
				case got.StatusCode == 201 && strings.Contains(string(got.body), `"completed"`):
					completed.Add(1)
				default:
					t.Errorf("%d %s", got.StatusCode, got.body)
				}
			})
		}
		all.Wait()
		if crowded.Load() == 0 || completed.Load() < 2 || c.most.Load() != 2 {
			t.Errorf("%d are refused, %d end, %d at once", crowded.Load(), completed.Load(), c.most.Load())
		}
	})
}

// TestJob: whoever starts a job has its id at once, and another server ends it.
func TestJob(t *testing.T) {
	t.Parallel()
	slow := scripted(replies("Done."))
	slow[0].Delay = 300
	for name, how := range map[string]struct{ member, header string }{
		"AAIF-4.6-7 of an agent that is executed asynchronously": {`"runtime":{"async_execution":true}`, "X-Nothing: 1"},
		"AAIF-4.6-7 of an agent with the mode async":             {`"io":{"mode":"async"}`, "X-Nothing: 1"},
		"AAIF-4.6-7 for a client that prefers it":                {`"io":{"mode":"sync"}`, preferJob},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, slow...)
			d := o.serve(t, nil)
			d.takes(t, how.member)
			id := d.job(t, how.header)
			if v := d.do(t, "GET", "/aaif/runs/"+id, "").object(t, 200); v.Get("status").Text() != "running" || v.Has("output") {
				t.Errorf("%s", v.Append(nil))
			}
			d.stop()
			<-d.ended
			next := o.serve(t, nil)
			if v := next.becomes(t, id, "completed"); v.Get("output").Text() != "Done." {
				t.Errorf("%s", v.Append(nil))
			}
		})
	}
	t.Run("whoever waits long enough has the result", func(t *testing.T) {
		t.Parallel()
		d := newOffice(t, slow...).serve(t, nil)
		d.takes(t)
		if v := d.starts(t, "", "Prefer: respond-async, wait=60"); v.Get("output").Text() != "Done." {
			t.Errorf("%s", v.Append(nil))
		}
	})
}

// TestQueues: a server executes the runs of its queues only.
func TestQueues(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(replies("Done."))...)
	serves := func(queues ...string) *desk {
		return o.serve(t, func(_ *vault.Options, s *server.Options) { o.queues = queues })
	}
	other := serves("sales", "")
	other.takes(t, `"runtime":{"queue":"finance-agents","async_execution":true}`)
	id := other.job(t)
	time.Sleep(1200 * time.Millisecond) // the other server looks at least once
	if v := other.do(t, "GET", "/aaif/runs/"+id, "").object(t, 200); v.Get("status").Text() != "running" || v.Get("events").Float() > 2 || len(o.model.Requests()) != 0 {
		t.Errorf("AAIF-4.6-8 a server of other queues took it: %s", v.Append(nil))
	}
	own := serves("finance-agents")
	t.Run("AAIF-4.6-8 the server of the queue takes it", func(t *testing.T) {
		own.becomes(t, id, "completed")
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) { // it counts after the run has ended
			if _, ended := own.host.Executing(); ended["completed"] == 1 {
				return
			} else if time.Now().After(end) {
				t.Fatalf("%v", ended)
			}
		}
	})
}

// TestBatch: each input has its result.
func TestBatch(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(replies("Done."))...)
	d := o.serve(t, nil)
	d.takes(t, `"io":{"mode":"batch","input_schema":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}`, `"runtime":{"concurrency":2}`)
	path := "/aaif/agents/" + clerkID + "/runs"
	t.Run("AAIF-4-19 results in the order of the inputs, and a wrong one alone fails", func(t *testing.T) {
		body := `{"inputs":[{"n":1},{"m":2},{"n":3}]}`
		got := d.do(t, "POST", path+"?wait=60", body, asJSON, "Idempotency-Key: k").object(t, 200).Get("results").Items()
		if len(got) != 3 || got[0].Get("status").Text() != "completed" || got[2].Get("output").Text() != "Done." {
			t.Fatalf("%v", got)
		}
		if wrong, _ := got[1].At("/error/code"); wrong.Text() != "INPUT_SCHEMA_VIOLATION" {
			t.Errorf("%s", got[1].Append(nil))
		}
		for i, n := range map[int]string{0: `{"n":1}`, 2: `{"n":3}`} {
			first := d.do(t, "GET", "/aaif/runs/"+got[i].Get("run_id").Text()+"/events?limit=1", "", "Accept: application/json").object(t, 200)
			if input, _ := first.At("/events/0/start/input"); string(input.Append(nil)) != n {
				t.Errorf("input %d is that of %s", i, input.Append(nil))
			}
		}
		again := d.do(t, "POST", path+"?wait=60", body, asJSON, "Idempotency-Key: k").object(t, 200).Get("results").Items()
		if again[0].Get("run_id").Text() != got[0].Get("run_id").Text() || again[2].Get("run_id").Text() != got[2].Get("run_id").Text() {
			t.Errorf("%v", again)
		}
	})
	t.Run("refused", func(t *testing.T) {
		for _, body := range []string{`{"inputs":[]}`, `{"inputs":{}}`, `{"inputs":[1],"input":1}`, `{"inputs":[1],"run_id":"11111111-2222-4333-8444-555555555555"}`, `{"inputs":[` + strings.Repeat("1,", 1000) + `1]}`} {
			if got := d.do(t, "POST", path, body, asJSON); got.StatusCode != 422 {
				t.Errorf("%.50s: %d %s", body, got.StatusCode, got.body)
			}
		}
		if got := d.do(t, "POST", "/aaif/agents/nobody/runs", `{"inputs":[1]}`, asJSON); got.StatusCode != 404 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}

// TestStreamedText: what a model says is forwarded as it comes.
func TestStreamedText(t *testing.T) {
	t.Parallel()
	slow := replies("Done, and more than that.")
	slow.Delay = 200
	o := newOffice(t, scripted(slow)...)
	d := o.serve(t, nil)
	d.takes(t, `"runtime":{"streaming":true}`)
	id := d.starts(t, "").Get("run_id").Text()
	t.Run("AAIF-4.6-9 the provider is asked for a stream, and what it says is forwarded", func(t *testing.T) {
		text, all := "", d.follow(t, id)
		for _, e := range all {
			if e.kind == "text" {
				text += e.data.Get("text").Text()
			}
		}
		if last := all[len(all)-1]; text != slow.Answer || last.kind != "completed" {
			t.Errorf("%q, and at last %+v", text, last)
		}
		if asked := o.model.Requests(); len(asked) != 1 || !asked[0].Stream || !asked[0].Body.Get("stream").True() {
			t.Errorf("%+v", asked)
		}
	})
}

// follow reads a stream of events to its end, with those that have no number.
func (d *desk) follow(t *testing.T, id string) (all []heardEvent) {
	t.Helper()
	d.everyEvent = true
	return d.listen(t, id, "", func(e heardEvent) bool { return e.kind == "completed" || e.kind == "failed" })
}
