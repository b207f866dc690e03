package server_test

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	runtool "github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

const clerkID = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"

// office is a store of an owner, with a model and tools.
type office struct {
	place
	key     keys.Private
	model   *fakemodel.Handler
	tools   *faketool.Server
	modelAt string
	toolsAt string
	queues  []string      // of the next server
	starts  host.Triggers // of the next server
}

// newOffice opens an office whose model answers by a script.
func newOffice(t *testing.T, steps ...model.Step) *office {
	t.Helper()
	o := &office{place: placeOf(t), key: seeded(t, 7), tools: faketool.New()}
	o.model, o.modelAt = fakemodel.Start(t, steps...)
	served := httptest.NewServer(o.tools)
	t.Cleanup(func() { o.tools.Close(); served.Close() })
	o.toolsAt = served.URL
	return o
}

// desk is a server of an office that runs agents.
type desk struct {
	*running
	office  *office
	vault   *vault.Vault
	host    *host.Host
	service *agents.Service

	everyEvent bool // listen returns those without a number as well
}

func (d *desk) me() memory.Caller {
	return memory.Caller{Owner: d.office.key.DID(), Role: memory.Owner}
}

// noKeys has no key, and needs none.
type noKeys struct{}

func (noKeys) Key(string) (string, error) { return "", nil }

// open opens the store once more and returns what a server of it is made of.
func (o *office) open(t *testing.T, change func(*vault.Options, *server.Options)) (*desk, server.Options) {
	t.Helper()
	key := o.key
	v := vault.Options{
		Store: o.place.open(t, func(memory.DID) []byte { return vault.SealSecret(key) }), Release: "1.0.0", Bindings: []string{"http"}, Via: "http", Signed: true, Tokens: true,
		Owner: key.DID(), Key: func(did memory.DID) (keys.Private, bool) { return key, did == key.DID() }, Beliefs: belief.Open,
	}
	s := server.Options{}
	if change != nil {
		change(&v, &s)
	}
	d := &desk{office: o, vault: vault.New(v)}
	settings := host.Settings{
		Models: route.Operator{Providers: []route.Provider{{Name: "openai", BaseURL: o.modelAt + "/v1", Regions: []string{"EU"}}}}, Keys: noKeys{},
		Tools: runtool.Operator{Egress: []string{"127.0.0.1"}, Grants: []runtool.Grant{{Agent: clerkID, Tools: []string{"*"}}},
			Bindings: []runtool.Binding{{Agent: clerkID, Tool: "look", Method: "GET"}, {Agent: clerkID, Tool: "book", Idempotent: true}}},
	}
	var err error
	d.service, err = agents.New(agents.Options{Vault: d.vault, Now: time.Now, Random: rand.Reader, Platform: hereName, Release: "1.0.0", Running: settings.Offer(), ReadOnly: v.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	d.host = host.New(host.Options{Vault: d.vault, Agents: d.service, Settings: settings, Now: time.Now, Platform: hereName, Release: "1.0.0", Lease: 3 * time.Second, Spans: s.Telemetry.Runs(), Queues: o.queues, Triggers: o.starts})
	s.Backend, s.Agents, s.Runs.Host, s.Runs.Rules = server.Over(d.vault), d.service, d.host, d.service.Policy
	return d, s
}

// serve starts a server of the office.
func (o *office) serve(t *testing.T, change func(*vault.Options, *server.Options)) *desk {
	t.Helper()
	d, s := o.open(t, change)
	d.running = startFor(t, o.key.DID(), s)
	return d
}

// asksFirst is the policy of a clerk who asks before it pays.
const asksFirst = `"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"tool.name == 'pay'"}}}`

// clerk returns the definition of an agent with the tools look, pay and book.
func (o *office) clerk(members ...string) string {
	var tools []string
	for _, name := range []string{"look", "pay", "book"} {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Does it.","protocol":"http","endpoint":"%s/call/%s","parameters_schema":{"type":"object","properties":{"n":{"type":"number"}}}}`, name, o.toolsAt, name))
	}
	return `{"sc_standard":"SC-006","agent_id":"` + clerkID + `","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","instructions":"Be exact.","model":{"provider":"openai","preferred":"m"},"tools":[` +
		strings.Join(tools, ",") + `]` + strings.Join(append([]string{""}, members...), ",") + `}}`
}

// takes takes a definition in.
func (d *desk) takes(t *testing.T, members ...string) {
	t.Helper()
	if got := d.do(t, "POST", "/aaif/agents", d.office.clerk(members...), asJSON); got.StatusCode != 201 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
}

// object reads an answer of a status.
func (a answer) object(t *testing.T, status int) canon.Value {
	t.Helper()
	v, err := canon.Parse(a.body, canon.Options{})
	if err != nil || a.StatusCode != status {
		t.Fatalf("%d, want %d: %s", a.StatusCode, status, a.body)
	}
	return v
}

// starts starts a run of the clerk.
func (d *desk) starts(t *testing.T, query string, header ...string) canon.Value {
	t.Helper()
	return d.do(t, "POST", "/aaif/agents/"+clerkID+"/runs"+query, `{"input":"Book number 1."}`, append(header, asJSON)...).object(t, 201)
}

// becomes waits until a run has a status.
func (d *desk) becomes(t *testing.T, id, status string) canon.Value {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		r := d.do(t, "GET", "/aaif/runs/"+id, "").object(t, 200)
		if r.Get("status").Text() == status {
			return r
		}
		if time.Since(began) > 40*time.Second || aaif.RunStatus(r.Get("status").Text()).Ended() {
			t.Fatalf("it does not become %s: %s", status, r.Append(nil))
		}
	}
}

// rests waits until the server executes nothing.
func (d *desk) rests(t *testing.T) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if now, _ := d.host.Executing(); now == 0 {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("a run is still executed")
		}
	}
}

// heardEvent is an event of a stream.
type heardEvent struct {
	id, kind string
	data     canon.Value
}

// listen reads a stream of events until it ends or stop says so, from after an event on.
func (d *desk) listen(t *testing.T, id, after string, stop func(heardEvent) bool) (all []heardEvent) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+d.address+"/aaif/runs/"+id+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode == 204 {
		return nil
	}
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", got.StatusCode, got.Header)
	}
	var e heardEvent
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			if e.data, err = canon.Parse([]byte(value), canon.Options{}); err != nil {
				t.Fatal(err)
			}
		case "":
			if lines.Text() == "" && (e.id != "" || d.everyEvent && e.kind != "") {
				if all = append(all, e); stop(e) {
					return all
				}
				e = heardEvent{}
			}
		}
	}
	return all
}

// turns gives steps the numbers of their turns.
func scripted(steps ...model.Step) []model.Step {
	for i := range steps {
		steps[i].Turn = &i
	}
	return steps
}

// wants calls tools in a turn.
func wants(names ...string) (s model.Step) {
	for i, name := range names {
		s.Calls = append(s.Calls, model.ScriptCall{ID: fmt.Sprint(name, i), Tool: name, Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))})
	}
	return s
}

func replies(text string) model.Step { return model.Step{Answer: text} }
