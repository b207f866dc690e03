package host_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/trigger"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// alarm is a place whose agent has triggers that are on, and whose clock stands still.
type alarm struct {
	*place
	now    time.Time
	on     []trigger.Switch
	secret string
	mu     sync.Mutex
	known  map[string]host.WatchedFolder
}

// alarmed opens a place with an agent that has triggers, and switches them on.
func alarmed(t *testing.T, h *vaulttest.House, triggers string, members ...string) *alarm {
	t.Helper()
	a := &alarm{place: open(t, h, script(model.Step{Answer: "Done."})...), secret: trigger.NewSecret(), known: map[string]host.WatchedFolder{},
		now: time.Date(2026, 6, 5, 8, 59, 0, 0, time.UTC)} // a Friday
	a.take(append(members, `"events":{"triggers":[`+triggers+`]}`, `"runtime":{"concurrency":64}`)...)
	a.switchOn(t)
	a.restart()
	return a
}

// switchOn switches all triggers of the definition on.
func (a *alarm) switchOn(t *testing.T, folders ...string) {
	t.Helper()
	kept, err := a.agents.Agent(a.Ctx, a.Me(), agentID, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := trigger.Switch{Agent: agentID, Since: a.now, Folders: folders}
	for _, one := range aaif.ReadDefinition(kept.Document).Agent.Events.Triggers {
		s.Triggers = append(s.Triggers, trigger.Digest(one))
	}
	v, err := canon.Parse(trigger.Write([]trigger.Switch{s}).Append(nil), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a.on, err = trigger.Read(v); err != nil {
		t.Fatal(err)
	}
}

// restart makes another host, as a server that starts anew does.
func (a *alarm) restart() *host.Host {
	o := a.options
	o.Now, o.Holder = func() time.Time { return a.now }, ""
	o.Triggers = host.Triggers{
		On:     func() ([]trigger.Switch, error) { return a.on, nil },
		Secret: func(string) (string, error) { return a.secret, nil },
		Load: func(agent, folder string) (host.WatchedFolder, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.known[agent+folder], nil
		},
		Save: func(agent, folder string, f host.WatchedFolder) error {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.known[agent+folder] = host.WatchedFolder{Seen: maps.Clone(f.Seen), Runs: f.Runs}
			return nil
		},
	}
	a.Host = host.New(o)
	return a.Host
}

// runs returns the runs of the agent, and the input of the newest.
func (a *alarm) runs(t *testing.T) (n int, newest run.Run) {
	t.Helper()
	rows, err := a.List(a.Ctx, a.Me(), agentID, runstore.Place{}, 99)
	if err != nil {
		t.Fatal(err)
	}
	last := slices.MaxFunc(append(rows, runstore.Run{}), func(x, y runstore.Run) int { return int(x.Events - y.Events) })
	for _, row := range rows {
		r, _, err := a.Get(a.Ctx, a.Me(), row.ID)
		if err != nil {
			t.Fatal(err)
		}
		if last.ID == "" || !r.Began.Before(newest.Began) {
			newest = r
		}
	}
	return len(rows), newest
}

func (a *alarm) wants(t *testing.T, what string, runs int) run.Run {
	t.Helper()
	n, newest := a.runs(t)
	if n != runs {
		t.Errorf("%s: %d runs, want %d", what, n, runs)
	}
	return newest
}

func TestScheduled(t *testing.T) {
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		a := alarmed(t, open(t), `{"type":"schedule","schedule":"0 9 * * 1-5"},{"type":"manual"}`)
		w := host.NewStarter(a.Host).NewWatcher(a.Me())
		at := func(text string) {
			a.now, _ = time.Parse(time.RFC3339, text)
			w.Look(a.Ctx)
		}
		t.Run("AAIF-4-20 it fires at 09:00 UTC, once", func(t *testing.T) {
			w.Look(a.Ctx)
			at("2026-06-05T08:59:59Z")
			a.wants(t, "before", 0)
			at("2026-06-05T09:00:00Z")
			at("2026-06-05T09:00:01Z")
			r := a.wants(t, "at nine", 1)
			if got := string(r.Start.Input); got != `{"schedule":"0 9 * * 1-5","scheduled_at":"2026-06-05T09:00:00Z","trigger":"schedule"}` {
				t.Errorf("its input is %s", got)
			}
			events, err := a.Events(a.Ctx, a.Me(), r.ID, 0)
			if last := events[len(events)-1]; err != nil || last.Code != "trigger.schedule" || !strings.Contains(last.Text, "0 9 * * 1-5") {
				t.Errorf("it says %+v, %v", last, err)
			}
			if e := a.Logged(audit.RunStart); e.Reason != "trigger.schedule" {
				t.Errorf("the audit log says %+v", e)
			}
		})
		t.Run("AAIF-4-20 a server that starts anew does not fire it again, and after a pause once", func(t *testing.T) {
			w = host.NewStarter(a.restart()).NewWatcher(a.Me())
			at("2026-06-05T12:00:00Z")
			a.wants(t, "the same day", 1)
			at("2026-06-07T12:00:00Z")
			a.wants(t, "at the weekend", 1)
			w = host.NewStarter(a.restart()).NewWatcher(a.Me())
			at("2026-06-11T12:00:00Z")
			r := a.wants(t, "after four days that it missed", 2)
			if !strings.Contains(string(r.Start.Input), "2026-06-11T09:00:00Z") {
				t.Errorf("its input is %s", r.Start.Input)
			}
		})
		t.Run("AAIF-4-20 several servers fire it once", func(t *testing.T) {
			a.now = time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
			var all sync.WaitGroup
			for range 4 {
				other := host.NewStarter(a.restart()).NewWatcher(a.Me())
				all.Go(func() { other.Look(a.Ctx) })
			}
			all.Wait()
			a.wants(t, "of four servers", 3)
		})
		t.Run("AAIF-4-20 what is off starts nothing", func(t *testing.T) {
			a.take(`"events":{"triggers":[{"type":"schedule","schedule":"0 10 * * *"}]}`)
			at("2026-06-15T11:00:00Z")
			a.wants(t, "a trigger that the definition got since", 3)
			a.on = nil
			at("2026-06-16T11:00:00Z")
			a.wants(t, "nothing is on", 3)
		})
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	a := alarmed(t, vaulttest.Open(t), `{"type":"event","event_name":"receipt","filter":{"lang":"cel","expr":"amount > 100.0"}},{"type":"message"},{"type":"message","event_name":"desk"}`)
	happens := func(e trigger.Event) []host.Fired {
		t.Helper()
		fired, err := host.NewStarter(a.Host).Happens(a.Ctx, a.Me(), e)
		if err != nil {
			t.Fatal(err)
		}
		return fired
	}
	of := func(name, payload string) trigger.Event {
		v, err := canon.Parse([]byte(payload), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return trigger.Event{Type: trigger.Named, Name: name, Payload: v, Input: v, Key: payload, Until: a.now.Add(time.Hour)}
	}
	t.Run("AAIF-4-20 an event of the name starts it, if the filter is satisfied", func(t *testing.T) {
		happens(of("other", `{"amount":500}`))
		if got := happens(of("receipt", `{"amount":5}`)); len(got) != 0 {
			t.Errorf("fired %+v", got)
		}
		a.wants(t, "neither", 0)
		if got := happens(of("receipt", `{"amount":500}`)); len(got) != 1 || got[0].RunID == "" || got[0].Trigger != "event receipt" {
			t.Errorf("fired %+v", got)
		}
		if r := a.wants(t, "the one", 1); string(r.Start.Input) != `{"amount":500}` {
			t.Errorf("its input is %s", r.Start.Input)
		}
	})
	t.Run("AAIF-4-20 a filter that fails starts nothing and is reported", func(t *testing.T) {
		if got := happens(of("receipt", `{"sum":500}`)); len(got) != 1 || got[0].RunID != "" || got[0].Event == "" || !strings.Contains(got[0].Why, "no such attribute") {
			t.Errorf("fired %+v", got)
		}
		a.wants(t, "no more", 1)
	})
	t.Run("AAIF-4-20 a message", func(t *testing.T) {
		e := trigger.Event{Type: trigger.Message, Payload: canon.Object(), Input: canon.String("Hello."), Key: "1", Until: a.now.Add(time.Hour)}
		if got := happens(e); len(got) != 1 || got[0].Trigger != "message" {
			t.Errorf("fired %+v", got)
		}
		e.Name, e.Key = "desk", "2"
		if got := happens(e); len(got) != 2 {
			t.Errorf("fired %+v", got)
		}
		a.wants(t, "three messages", 4)
	})
	t.Run("AAIF-4-20 what an agent may not start with is told", func(t *testing.T) {
		a.take(`"events":{"triggers":[{"type":"message"}]}`, `"io":{"input_schema":{"type":"number"}}`)
		e := trigger.Event{Type: trigger.Message, Input: canon.String("Hello."), Key: "3", Until: a.now.Add(time.Hour)}
		if got := happens(e); len(got) != 1 || aaif.CodeOf(got[0].Err) != aaif.InputSchemaViolation {
			t.Errorf("fired %+v", got)
		}
	})
}

// sign signs a delivery.
func sign(secret, id string, at time.Time, body string) trigger.Delivery {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	return trigger.Delivery{Path: "desk/new", ID: id, Timestamp: stamp, Signature: "v1,AAAA v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), Body: []byte(body)}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		a := alarmed(t, open(t), `{"type":"webhook","webhook_path":"/desk/new","filter":{"lang":"jsonpath","expr":"$.go"}}`)
		good := sign(a.secret, "m1", a.now, `{"go":true}`)
		t.Run("AAIF-4-20 a signed request starts a run, once", func(t *testing.T) {
			fired, err := host.NewStarter(a.Host).Delivered(a.Ctx, a.Me(), good)
			if err != nil || len(fired) != 1 || fired[0].RunID == "" {
				t.Fatalf("%+v, %v", fired, err)
			}
			a.now = a.now.Add(4 * time.Minute)
			again, err := host.NewStarter(a.restart()).Delivered(a.Ctx, a.Me(), good)
			if err != nil || len(again) != 0 {
				t.Errorf("a replay: %+v, %v", again, err)
			}
			again, err = host.NewStarter(a.Host).Delivered(a.Ctx, a.Me(), sign(a.secret, "m1", a.now, `{"go":true}`))
			if err != nil || len(again) != 0 {
				t.Errorf("its sender sends it again, with the time of that: %+v, %v", again, err)
			}
			if r := a.wants(t, "and its replay", 1); string(r.Start.Input) != `{"go":true}` {
				t.Errorf("its input is %s", r.Start.Input)
			}
			if fired, err := host.NewStarter(a.Host).Delivered(a.Ctx, a.Me(), sign(a.secret, "m2", a.now, `{"stay":1}`)); err != nil || len(fired) != 0 {
				t.Errorf("what the filter leaves out: %+v, %v", fired, err)
			}
		})
		t.Run("AAIF-4-20 any other starts nothing", func(t *testing.T) {
			a.now = a.now.Add(2 * time.Minute)
			change := func(do func(d *trigger.Delivery)) trigger.Delivery {
				d := sign(a.secret, "m3", a.now, `{"go":true}`)
				do(&d)
				return d
			}
			for name, d := range map[string]trigger.Delivery{
				"of another secret":  sign(trigger.NewSecret(), "m3", a.now, `{"go":true}`),
				"late":               sign(a.secret, "m3", a.now.Add(-5*time.Minute-time.Second), `{"go":true}`),
				"from the future":    sign(a.secret, "m3", a.now.Add(5*time.Minute+2*time.Second), `{"go":true}`),
				"replayed late":      good,
				"another body":       change(func(d *trigger.Delivery) { d.Body = []byte(`{"go":1}`) }),
				"another id":         change(func(d *trigger.Delivery) { d.ID = "m4" }),
				"another time":       change(func(d *trigger.Delivery) { d.Timestamp += "0" }),
				"the time in a form": change(func(d *trigger.Delivery) { d.Timestamp = "+" + d.Timestamp }),
				"no signature":       change(func(d *trigger.Delivery) { d.Signature = "" }),
				"a version unknown":  change(func(d *trigger.Delivery) { d.Signature = strings.ReplaceAll(d.Signature, "v1,", "v2,") }),
				"no id":              sign(a.secret, "", a.now, `{"go":true}`),
				"another path":       change(func(d *trigger.Delivery) { d.Path = "desk" }),
				"no path":            change(func(d *trigger.Delivery) { d.Path = "" }),
			} {
				if fired, err := host.NewStarter(a.Host).Delivered(a.Ctx, a.Me(), d); !errors.Is(err, trigger.ErrUnsigned) || len(fired) != 0 {
					t.Errorf("%s: %+v, %v", name, fired, err)
				}
			}
			if _, err := host.NewStarter(a.Host).Delivered(a.Ctx, a.Me(), sign(a.secret, "m5", a.now, `no JSON`)); err == nil || errors.Is(err, trigger.ErrUnsigned) {
				t.Errorf("signed, and no JSON: %v", err)
			}
			a.secret = ""
			if _, err := host.NewStarter(a.Host).Delivered(a.Ctx, a.Me(), sign("", "m6", a.now, `{"go":true}`)); !errors.Is(err, trigger.ErrUnsigned) {
				t.Errorf("without a secret: %v", err)
			}
			a.on = nil
			a.wants(t, "none of them", 1)
		})
	})
}

func TestFolder(t *testing.T) {
	t.Parallel()
	a := alarmed(t, vaulttest.Open(t), `{"type":"file_change","filter":{"lang":"cel","expr":"path.endsWith('.txt')"}}`)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old.txt", "old")
	a.switchOn(t, dir)
	w := host.NewStarter(a.Host).NewWatcher(a.Me())
	look := func(times int) {
		for range times {
			a.now = a.now.Add(time.Second)
			w.Look(a.Ctx)
		}
	}
	ends := func(r run.Run) {
		t.Helper()
		if got, err := a.Continue(a.Ctx, a.Me(), r.ID, run.ContinueOptions{}); err != nil || got.Status != aaif.Completed {
			t.Fatalf("%s, %v", got.Status, err)
		}
	}
	var first run.Run
	t.Run("AAIF-4-20 a file that changes starts a run, once it rests", func(t *testing.T) {
		look(3)
		a.wants(t, "what was there", 0)
		write("a.txt", "one")
		look(1)
		write("a.txt", "one and two")
		look(1)
		a.wants(t, "while it is written", 0)
		look(3)
		first = a.wants(t, "a new file", 1)
		if got := string(first.Start.Input); !strings.Contains(got, `"changes":[{"change":"created","path":"a.txt"}]`) {
			t.Errorf("its input is %s", got)
		}
	})
	t.Run("AAIF-4-20 what its own run writes starts nothing", func(t *testing.T) {
		write("a.txt", "by the run")
		write("b.txt", "by the run")
		look(4)
		ends(first)
		write("c.txt", "at its very end")
		look(5)
		a.wants(t, "after its run", 1)
		look(5)
		a.wants(t, "and later", 1)
	})
	t.Run("AAIF-4-20 a server that starts anew sees what changed meanwhile", func(t *testing.T) {
		write("old.txt", "new")
		w = host.NewStarter(a.restart()).NewWatcher(a.Me())
		look(3)
		second := a.wants(t, "a modified file", 2)
		if got := string(second.Start.Input); !strings.Contains(got, `"changes":[{"change":"modified","path":"old.txt"}]`) {
			t.Errorf("its input is %s", got)
		}
		w = host.NewStarter(a.restart()).NewWatcher(a.Me())
		write("d.txt", "by the run, after the server has started anew")
		look(4)
		ends(second)
		look(5)
		a.wants(t, "its own run", 2)
	})
	t.Run("AAIF-4-20 what the filter leaves out starts nothing", func(t *testing.T) {
		write("x.log", "x")
		look(4)
		a.wants(t, "a log", 2)
	})
}
