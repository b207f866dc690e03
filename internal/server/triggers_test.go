package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/trigger"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// triggered opens an office with a server whose agent has triggers that are on.
func triggered(t *testing.T, secret, triggers string) (*office, *desk) {
	t.Helper()
	o := newOffice(t, scripted(replies("Done."))...)
	o.switchOn(t, secret, triggers)
	server := o.serve(t, nil)
	server.takes(t, `"events":{"triggers":[`+triggers+`]}`)
	return o, server
}

// switchOn switches triggers of the clerk on.
func (o *office) switchOn(t *testing.T, secret, triggers string) {
	t.Helper()
	d, err := aaif.FromJSON([]byte(o.clerk(`"events":{"triggers":[`+triggers+`]}`)), aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	on := trigger.Switch{Agent: clerkID, Since: time.Now()}
	for _, one := range aaif.ReadDefinition(d).Agent.Events.Triggers {
		on.Triggers = append(on.Triggers, trigger.Digest(one))
	}
	o.starts.On = func() ([]trigger.Switch, error) { return []trigger.Switch{on}, nil }
	o.starts.Secret = func(string) (string, error) { return secret, nil }
}

// TestHandoffFires: a run that arrives goes on at once if its agent has a trigger for it that is on,
// and whose filter is satisfied.
func TestHandoffFires(t *testing.T) {
	t.Parallel()
	steps := scripted(wants("pay"), replies("Done."))
	for filter, fires := range map[string]bool{"agent_id == '" + clerkID + "'": true, "status == 'failed'": false} {
		t.Run("AAIF-4-20 "+filter, func(t *testing.T) {
			t.Parallel()
			triggers := `{"type":"agent_handoff","filter":{"lang":"cel","expr":"` + filter + `"}}`
			from, to := newOffice(t, steps...), newOffice(t, steps...)
			to.switchOn(t, "", triggers)
			a, b := from.serve(t, nil), newPier(t, to, nil)
			a.takes(t, asksFirst)
			if _, err := b.service.Intake(t.Context(), b.me(), []byte(to.clerk(asksFirst, `"events":{"triggers":[`+triggers+`]}`)), aaif.IntakeOptions{}); err != nil {
				t.Fatal(err)
			}
			run := a.starts(t, "?wait=60").Get("run_id").Text()
			b.lands(t, a, run, "d7e8f9a0-1234-4000-8000-0000000000f2", "1")
			if !fires {
				if got := b.ask(t, "GET", "/aaif/runs/"+run, ""); got.StatusCode != 404 {
					t.Errorf("%d %s", got.StatusCode, got.body)
				}
				return
			}
			if r := b.decided(t, run); r.Get("output").Text() != "Done." || to.tools.Counts()["pay"].Writes != 1 {
				t.Errorf("%s", r.Append(nil))
			}
		})
	}
}

// completes waits until so many runs are completed.
func (d *desk) completes(t *testing.T, runs int) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		list := d.do(t, "GET", "/aaif/runs", "").object(t, 200).Get("runs").Items()
		n := 0
		for _, r := range list {
			if r.Get("status").Text() == "completed" {
				n++
			}
		}
		if n == runs && len(list) == runs {
			return
		}
		if len(list) > runs || time.Since(began) > 20*time.Second {
			t.Fatalf("%d runs of %d are completed, want %d", n, len(list), runs)
		}
	}
}

// TestTriggersFire: a server starts and executes what events, webhooks and schedules start.
func TestTriggersFire(t *testing.T) {
	t.Parallel()
	secret := trigger.NewSecret()
	_, d := triggered(t, secret, `{"type":"event","event_name":"receipt"},{"type":"message"},{"type":"webhook","webhook_path":"/desk/new"}`)
	n := 0
	t.Run("AAIF-4-20 an event and a message", func(t *testing.T) {
		for _, body := range []string{`{"event_name":"receipt","payload":{"amount":5}}`, `{"message":"Hello."}`} {
			got := d.do(t, "POST", "/aaif/events", body, asJSON, "Idempotency-Key: "+strconv.Itoa(n)).object(t, 202).Get("fired").Items()
			if len(got) != 1 || got[0].Get("run_id").Text() == "" || got[0].Get("agent_id").Text() != clerkID {
				t.Errorf("%s: %v", body, got)
			}
			again := d.do(t, "POST", "/aaif/events", body, asJSON, "Idempotency-Key: "+strconv.Itoa(n)).object(t, 202).Get("fired").Items()
			if len(again) != 0 {
				t.Errorf("%s again: %v", body, again)
			}
			n++
		}
		for _, body := range []string{`{}`, `{"event_name":1}`, `{"message":""}`, `{"event_name":"x","payload":[]}`, `{"event":"x"}`, `[]`} {
			if got := d.do(t, "POST", "/aaif/events", body, asJSON); got.StatusCode != 422 {
				t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
			}
		}
		d.completes(t, n)
	})
	t.Run("events are the owner's alone", func(t *testing.T) {
		token, _, err := d.vault.MintToken(t.Context(), d.me(), vault.TokenOrder{Verbs: memory.Verbs(), Expires: time.Now().Add(time.Hour)})
		if got := d.do(t, "POST", "/aaif/events", `{"message":"Hello."}`, asJSON, "Authorization: Bearer "+token); err != nil || got.StatusCode != 403 {
			t.Errorf("a token's bearer: %d %s, %v", got.StatusCode, got.body, err)
		}
		if got := d.do(t, "POST", "/aaif/events", `{"message":"Hello."}`, asJSON, "Authorization:"); got.StatusCode != 401 {
			t.Errorf("nobody: %d %s", got.StatusCode, got.body)
		}
	})
	hook := func(secret, id string, at time.Time, body string) answer {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		stamp := strconv.FormatInt(at.Unix(), 10)
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
		return d.do(t, "POST", "/aaif/hooks/desk/new", body, "Authorization:", "Webhook-Id: "+id, "Webhook-Timestamp: "+stamp,
			"Webhook-Signature: v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	t.Run("AAIF-4-20 a webhook, and attacks on it", func(t *testing.T) {
		now := time.Now()
		for i, want := range []float64{1, 0} { // and its replay
			if got := hook(secret, "m1", now, `{"go":1}`).object(t, 202); got.Get("started").Float() != want {
				t.Errorf("%d: %s", i, got.Append(nil))
			}
		}
		for name, got := range map[string]answer{
			"of another secret": hook(trigger.NewSecret(), "m2", now, `{}`), "late": hook(secret, "m3", now.Add(-6*time.Minute), `{}`),
			"unsigned":     d.do(t, "POST", "/aaif/hooks/desk/new", `{}`, "Authorization:"),
			"by the owner": d.do(t, "POST", "/aaif/hooks/desk/new", `{}`), "elsewhere": d.do(t, "POST", "/aaif/hooks/other", `{}`, "Authorization:"),
		} {
			if got.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: %d %s", name, got.StatusCode, got.body)
			}
		}
		if got := hook(secret, "m4", now, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`); got.StatusCode != 413 {
			t.Errorf("huge: %d %s", got.StatusCode, got.body)
		}
		if got := hook(secret, "m5", now, `{`); got.StatusCode != 422 {
			t.Errorf("no JSON: %d %s", got.StatusCode, got.body)
		}
		if got := d.do(t, "GET", "/aaif/hooks/desk/new", "", "Authorization:"); got.StatusCode != 405 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		d.completes(t, n+1)
	})
}

// TestScheduleServed: a server starts what a schedule starts, and one of two does.
func TestScheduleServed(t *testing.T) {
	t.Parallel()
	o, d := triggered(t, "", `{"type":"schedule","schedule":"@every 30s"}`)
	o.serve(t, nil)
	began := time.Now()
	on, _ := o.starts.On()
	on[0].Since = began.Add(-time.Minute)
	o.starts.On = func() ([]trigger.Switch, error) { return on, nil }
	third := o.serve(t, nil)
	o.serve(t, nil)
	third.completes(t, 1)
	time.Sleep(1200 * time.Millisecond)
	if list := d.do(t, "GET", "/aaif/runs", "").object(t, 200).Get("runs").Items(); len(list) != 1 && time.Now().Unix()/30 == began.Unix()/30 {
		t.Errorf("AAIF-4-20 it fires %d times", len(list))
	}
}
