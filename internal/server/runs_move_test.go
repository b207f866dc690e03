package server_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/memory"
)

// pier is a server over TLS that takes runs of a source in.
type pier struct {
	*desk
	encrypted
	source *aaiftest.Source
	client aaifhttp.Client
}

func newPier(t *testing.T, o *office, change func(*vault.Options, *server.Options)) *pier {
	t.Helper()
	d, s := o.open(t, change)
	s.Hosts = []string{"localhost"}
	p := &pier{desk: d, encrypted: startTLSFor(t, o.key.DID(), s)}
	source, err := aaiftest.NewSource("elsewhere", aaiftest.New(hereName, time.Now))
	if err != nil {
		t.Fatal(err)
	}
	if err := trust.New(d.vault).TrustProducer(t.Context(), d.me(), "elsewhere", []aimem.Key{aimem.PublicKey(source.Key)}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.service.Intake(t.Context(), d.me(), []byte(o.clerk(asksFirst)), aaif.IntakeOptions{}); err != nil {
		t.Fatal(err)
	}
	p.source, p.client = source, aaifhttp.Client{HTTP: p.encrypted.client(t, 2), Now: time.Now}
	return p
}

// ask sends a request of the owner's over TLS.
func (p *pier) ask(t *testing.T, method, path, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	got, err := p.encrypted.client(t, 2).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	said, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got, said}
}

// lands sends the run of another desk to the pier, and returns the checkpoint.
func (p *pier) lands(t *testing.T, from *desk, run, state, tokenID string) aaif.KeptState {
	t.Helper()
	checkpoint, err := from.host.Leave(t.Context(), from.me(), run, state, hereName)
	if err != nil {
		t.Fatal(err)
	}
	ready, err := p.source.Ready(checkpoint, hereName, tokenID)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := p.client.PushState(t.Context(), "https://localhost/aaif/states", ready)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.host.Left(t.Context(), from.me(), run, hereName); err != nil {
		t.Fatal(err)
	}
	return kept
}

// decided approves the call that a run waits for, and waits until the run has ended.
func (p *pier) decided(t *testing.T, run string) canon.Value {
	t.Helper()
	waits := p.ask(t, "GET", "/aaif/runs/"+run, "").object(t, 200)
	digest, ok := waits.At("/waits/0/digest")
	if !ok {
		t.Fatalf("AAIF-8.1-20: it does not wait: %s", waits.Append(nil))
	}
	p.ask(t, "POST", "/aaif/runs/"+run+"/approval", `{"decision":"approve","digest":"`+digest.Text()+`"}`).object(t, 200)
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		r := p.ask(t, "GET", "/aaif/runs/"+run, "").object(t, 200)
		if aaif.RunStatus(r.Get("status").Text()).Ended() {
			return r
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%s", r.Append(nil))
		}
	}
}

// TestRunsMove: a run that waits for approval moves over TLS and goes on, once.
func TestRunsMove(t *testing.T) {
	t.Parallel()
	steps := scripted(wants("pay"), replies("Done."))
	const first, second = "d7e8f9a0-1234-4000-8000-0000000000f1", "d7e8f9a0-1234-4000-8000-0000000000f2"
	t.Run("AAIF-8.2-7 its owner lets it go on", func(t *testing.T) {
		from, to := newOffice(t, steps...), newOffice(t, steps...)
		a, b := from.serve(t, nil), newPier(t, to, nil)
		a.takes(t, asksFirst)
		run := a.starts(t, "?wait=60").Get("run_id").Text()
		kept := b.lands(t, a, run, first, "1")
		if got := b.ask(t, "GET", "/aaif/runs/"+run, ""); kept.RunID != run || got.StatusCode != 404 {
			t.Fatalf("it goes on by itself: %+v, %d %s", kept, got.StatusCode, got.body)
		}
		for path, body := range map[string]string{"/resume": "", "/cancel": "", "/approval": `{"decision":"reject"}`} {
			if got := a.do(t, "POST", "/aaif/runs/"+run+path, body, asJSON); got.StatusCode != 409 {
				t.Errorf("%s where it left: %d %s", path, got.StatusCode, got.body)
			}
		}
		if r := a.do(t, "GET", "/aaif/runs/"+run, "").object(t, 200); r.Get("platform").Text() != hereName || r.Get("status").Text() != "completed" {
			t.Errorf("%s", r.Append(nil))
		}
		if r := b.ask(t, "POST", "/aaif/states/"+first+"/resume", "").object(t, 201); r.Get("run_id").Text() != run || r.Get("status").Text() != "awaiting_approval" {
			t.Errorf("%s", r.Append(nil))
		}
		if got := b.ask(t, "POST", "/aaif/states/"+first+"/resume", ""); got.StatusCode != 409 || aaifCode(t, got.body) != aaifhttp.RunExists {
			t.Errorf("twice: %d %s", got.StatusCode, got.body)
		}
		state := b.ask(t, "GET", "/aaif/runs/"+run+"/state", "").object(t, 200)
		if aaif.VerifyChecksum(state) != nil || aaif.ReadState(state).RunID != run || aaif.ReadState(state).Status != aaif.AwaitingApproval {
			t.Errorf("%s", state.Append(nil))
		}
		t.Run("AAIF-8.1-2 each checkpoint of a run has an id of its own", func(t *testing.T) {
			other := aaif.ReadState(b.ask(t, "GET", "/aaif/runs/"+run+"/state", "").object(t, 200))
			if other.ID == aaif.ReadState(state).ID || other.RunID != run {
				t.Errorf("%s of %s", other.ID, other.RunID)
			}
		})
		if r := b.decided(t, run); r.Get("output").Text() != "Done." || from.tools.Counts()["pay"].Calls != 0 || to.tools.Counts()["pay"].Writes != 1 {
			t.Errorf("%s", r.Append(nil))
		}
	})
	t.Run("resume_on_arrival: it goes on at once", func(t *testing.T) {
		from, to := newOffice(t, steps...), newOffice(t, steps...)
		a, b := from.serve(t, nil), newPier(t, to, func(_ *vault.Options, s *server.Options) { s.Runs.OnArrival = true })
		a.takes(t, asksFirst)
		run := a.starts(t, "?wait=60").Get("run_id").Text()
		b.lands(t, a, run, first, "1")
		if r := b.decided(t, run); r.Get("output").Text() != "Done." || to.tools.Counts()["pay"].Writes != 1 {
			t.Errorf("%s", r.Append(nil))
		}
		t.Run("and a state of a run that is here stays a state", func(t *testing.T) {
			state := b.ask(t, "GET", "/aaif/states/"+first, "").object(t, 200)
			again, err := b.source.Ready(aaif.WithChecksum(state.With("state_id", canon.String(second))), hereName, "2")
			if err != nil {
				t.Fatal(err)
			}
			kept, err := b.client.PushState(t.Context(), "https://localhost/aaif/states", again)
			if err != nil || kept.StateID != second || !strings.Contains(strings.Join(kept.Warnings, " "), "RUN_EXISTS") {
				t.Errorf("%+v, %v", kept, err)
			}
		})
	})
	t.Run("AAIF-8.2-7 a checkpoint whose sender does not know that it arrived", func(t *testing.T) {
		from, to := newOffice(t, steps...), newOffice(t, steps...)
		a, b := from.serve(t, nil), newPier(t, to, nil)
		a.takes(t, asksFirst)
		run := a.starts(t, "?wait=60").Get("run_id").Text()
		checkpoint, err := a.host.Leave(t.Context(), a.me(), run, first, hereName)
		if err != nil {
			t.Fatal(err)
		}
		ready, err := b.source.Ready(checkpoint, hereName, "1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.service.Receive(t.Context(), b.me(), ready); err != nil { // the server dies before it has answered
			t.Fatal(err)
		}
		if r, err := a.host.Stayed(t.Context(), a.me(), run); err != nil || r.Status != aaif.AwaitingApproval {
			t.Fatalf("where it was: %s, %v", r.Status, err)
		}
		if got := b.ask(t, "POST", "/aaif/states/"+first+"/resume", ""); got.StatusCode != 409 || aaifCode(t, got.body) != aaif.StateLeft {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		if r := a.do(t, "GET", "/aaif/runs/"+run, "").object(t, 200); r.Get("status").Text() != "awaiting_approval" || to.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("%s", r.Append(nil))
		}
	})
	t.Run("AAIF-8.2-1 a checkpoint that left is not gone on with", func(t *testing.T) {
		from, to := newOffice(t, steps...), newOffice(t, steps...)
		a, b := from.serve(t, nil), newPier(t, to, nil)
		a.takes(t, asksFirst)
		run := a.starts(t, "?wait=60").Get("run_id").Text()
		b.lands(t, a, run, first, "1")
		state := b.ask(t, "GET", "/aaif/states/"+first, "").object(t, 200)
		if err := b.service.Leaving(t.Context(), b.me(), state, agents.Migrate, agents.Token{ID: "x", For: "third.example", Expires: time.Now().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
		if got := b.ask(t, "POST", "/aaif/states/"+first+"/resume", ""); got.StatusCode != 409 || aaifCode(t, got.body) != aaif.StateLeft {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		if got := b.ask(t, "POST", "/aaif/states/"+second+"/resume", ""); got.StatusCode != 404 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}

// TestRunsOfARestoredStore: a run that was going on before its store was restored, or in
// another one, waits until its owner resumes it.
func TestRunsOfARestoredStore(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("pay"), replies("Done."))...)
	d := o.serve(t, nil)
	d.takes(t, asksFirst)
	id := d.starts(t, "?wait=60").Get("run_id").Text()
	d.rests(t)
	key := o.key
	at := o.place.open(t, func(memory.DID) []byte { return vault.SealSecret(key) })
	err := at.Update(t.Context(), key.DID(), func(w store.Writer) error {
		run, err := w.Runs().Run(id)
		events, err2 := w.Runs().RunEvents(id, 0, 100)
		run.Lineage = "elsewhere"
		return errors.Join(err, err2, w.RunKeeper().DropRun(id), w.RunKeeper().PutRun(run), w.RunKeeper().PutRunEvents(events))
	})
	if err != nil {
		t.Fatal(err)
	}
	path := "/aaif/runs/" + id
	before := d.do(t, "GET", path, "").object(t, 200)
	digest, _ := before.At("/waits/0/digest")
	if !before.Get("waits_for_resume").True() || digest.Text() == "" {
		t.Errorf("%s", before.Append(nil))
	}
	if got := d.do(t, "POST", path+"/approval", `{"decision":"approve","digest":"`+digest.Text()+`"}`, asJSON); got.StatusCode != 409 || aaifCode(t, got.body) != aaifhttp.RunCopied {
		t.Errorf("approved before it is resumed: %d %s", got.StatusCode, got.body)
	}
	d.do(t, "POST", path+"/resume", "").object(t, 200)
	r := d.becomes(t, id, "completed")
	told := ""
	for _, e := range d.listen(t, id, "", func(heardEvent) bool { return false }) {
		told += e.data.Get("code").Text() + " "
	}
	if n := o.tools.Counts()["pay"].Calls; n != 0 || !strings.Contains(told, "COPIED") || r.Get("waits_for_resume").True() {
		t.Errorf("%d calls, %s: what may have happened elsewhere is not done again", n, told)
	}
}
