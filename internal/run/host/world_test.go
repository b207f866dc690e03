package host_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// seen is a request that arrived at the models and tools.
type seen struct {
	who, what string // the server that sent it; "model", or the name of the tool
	key       string
	at        time.Time
}

// moment is a point in the life of a request: it has arrived, or it has taken effect and is
// not answered yet.
type moment string

const (
	arrived moment = "arrived"
	done    moment = "done"
)

// runEvent is an event of a run that a server tells of.
type runEvent struct {
	run  string
	kind run.Kind
	call string
}

// hook lets something happen at a moment of a request. lost says that a request that has
// arrived takes no effect.
type hook func(at moment, s seen) (lost bool)

// world is the models and tools of a test, the store, and the servers that execute runs in it.
// It sees every request, and can let something happen at any moment of it.
type world struct {
	*vaulttest.House
	*host.Host
	agents *agents.Service
	orders orders
	tools  *faketool.Server
	model  *fakemodel.Handler
	server *httptest.Server
	folder string

	mu      sync.Mutex
	all     []seen
	left    map[string]time.Time // when the answer to a request with an idempotency key had been sent, or nobody waited for it any more
	hook    hook                 // nil: nothing happens
	onEvent func(e runEvent)
	servers map[string]*child
	started int
	turns   int                  // of every run
	answers []span               // of models
	died    map[string]time.Time // of servers that were killed
}

// The agents: the tools of the first honour idempotency keys or only read; the second has others, too.
const (
	honouring = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	mixed     = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a02"
	unknown   = `{"error":"TOOL_OUTCOME_UNKNOWN"`
)

// turns are the turns of both agents.
func turns() []model.Step {
	pace := 15 // milliseconds
	of := func(name string, steps ...model.Step) (all []model.Step) {
		for i, s := range steps {
			s = turn(i, s)
			s.Model, s.Delay = name, pace
			all = append(all, s)
		}
		return all
	}
	last := turn(6, model.Step{Model: mixed, Expect: unknown, Answer: "Done, as far as anybody knows."})
	all := append([]model.Step{last}, of(honouring, asks("look"), asks("book"), asks("book", "look"), asks("book"), asks("look", "book"), asks("book"), model.Step{Answer: "Booked five."})...)
	return append(all, of(mixed, asks("look"), asks("book", "pay"), asks("file"), asks("pay"), asks("book", "look"), asks("file", "pay"), model.Step{Answer: "Done."})...)
}

// wholeTurns is the number of turns of every agent.
const wholeTurns = 7

// openWorld opens the models, the tools and a store, with agents. members are further
// members of the agents' definitions.
func openWorld(t *testing.T, h *vaulttest.House, lease time.Duration, steps []model.Step, members ...string) *world {
	t.Helper()
	w := &world{House: alive(h), tools: faketool.New(), model: fakemodel.New(model.NewScript(steps...)), folder: t.TempDir(), servers: map[string]*child{}, left: map[string]time.Time{}, died: map[string]time.Time{}, turns: wholeTurns}
	for name, honour := range map[string]bool{"look": false, "book": true, "pay": false} {
		w.tools.SetFault(name, faketool.Fault{Kind: faketool.AnswerAlways, Answer: `{"did":"` + name + `"}`, Honour: honour})
	}
	w.server = httptest.NewServer(w)
	t.Cleanup(func() {
		w.killAll()
		w.tools.Close()
		w.server.CloseClientConnections()
		w.server.Close()
	})
	w.orders = orders{Name: "test", Path: h.Path, URL: h.URL, World: w.server.URL, Lines: filepath.Join(w.folder, "test.lines"), Lease: lease, Limit: 16}
	var err error
	if w.Host, w.agents, err = w.orders.hostOf(h); err != nil {
		t.Fatal(err)
	}
	for id, tools := range map[string][]string{honouring: {"look", "book"}, mixed: {"look", "book", "pay", "file"}} {
		w.take(id, tools, members...)
	}
	return w
}

// take takes a definition in.
func (w *world) take(id string, names []string, members ...string) {
	w.T.Helper()
	var tools []string
	for _, name := range names {
		protocol := `"protocol":"http","endpoint":"` + w.server.URL + "/call/" + name + `","auth":{"type":"bearer","env_var":"WHO_` + name + `"}`
		if name == "file" {
			protocol = `"protocol":"function"`
		}
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Does it.",%s,"parameters_schema":{"type":"object","properties":{"n":{"type":"number"}}}}`, name, protocol))
	}
	if !slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, `"runtime"`) }) {
		members = append(slices.Clone(members), `"runtime":{"concurrency":64}`) // many runs of an agent at once
	}
	raw := `{"sc_standard":"SC-006","agent_id":"` + id + `","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","instructions":"Be exact.","model":{"provider":"openai","preferred":"` + id + `"},"tools":[` +
		strings.Join(tools, ",") + `]` + strings.Join(append([]string{""}, members...), ",") + `}}`
	if _, err := w.agents.Intake(w.Ctx, w.Me(), []byte(raw), aaif.IntakeOptions{}); err != nil {
		w.T.Fatal(err)
	}
}

// begin starts a run of an agent and returns its id.
func (w *world) begin(agent string) string {
	w.T.Helper()
	w.started++
	id := fmt.Sprintf("%08d-2222-4333-8444-555555555555", w.started)
	if _, err := w.Host.Start(w.Ctx, w.Me(), host.Start{RunID: id, Agent: agent, Input: canon.String(fmt.Sprintf("Book number %d.", w.started))}); err != nil {
		w.T.Fatal(err)
	}
	return id
}

// ServeHTTP serves models and tools.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/event" {
		w.mu.Lock()
		on := w.onEvent
		w.mu.Unlock()
		if q := r.URL.Query(); on != nil {
			on(runEvent{q.Get("run"), run.Kind(q.Get("kind")), q.Get("call")})
		}
		return
	}
	s := seen{who: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), what: "model", key: r.Header.Get("Idempotency-Key"), at: time.Now()}
	var inner http.Handler = w.model
	if name, ok := strings.CutPrefix(r.URL.Path, "/call/"); ok {
		s.what, inner = name, w.tools
	}
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.left[s.key] = time.Now()
	}()
	// A tool acts, whatever has become of the one who called it.
	body, _ := io.ReadAll(r.Body) // what breaks off did not arrive
	r.Body = io.NopCloser(bytes.NewReader(body))
	w.mu.Lock()
	w.all = append(w.all, s)
	w.mu.Unlock()
	if w.at(arrived, s) {
		panic(http.ErrAbortHandler)
	}
	answer := httptest.NewRecorder()
	inner.ServeHTTP(answer, r)
	w.at(done, s)
	if s.what == "model" {
		w.answered(s, body)
	}
	for name, values := range answer.Header() {
		out.Header()[name] = values
	}
	out.WriteHeader(answer.Code)
	_, _ = out.Write(answer.Body.Bytes()) // whoever has gone reads nothing
}

// input finds the agent and the number of a run in a request to a model.
var input = regexp.MustCompile(`"model": ?"([^"]*)"(?s:.*)Book number (\d+)\.|Book number (\d+)\.(?s:.*)"model": ?"([^"]*)"`)

// answered notes that a model is about to answer a request of a run.
func (w *world) answered(s seen, body []byte) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := input.FindSubmatch(body); m != nil {
		w.answers = append(w.answers, span{s.who, string(m[1]) + string(m[4]), string(m[2]) + string(m[3]), s.at, now})
	}
}

func (w *world) at(m moment, s seen) bool {
	w.mu.Lock()
	h := w.hook
	w.mu.Unlock()
	return h != nil && h(m, s)
}

// on lets something happen at every moment.
func (w *world) on(h hook) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hook = h
}

// requests returns what arrived so far from a server; of all if who is empty.
func (w *world) requests(who string) []seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.all), func(s seen) bool { return who != "" && s.who != who })
}

// child is a server in a process of its own.
type child struct {
	name string
	cmd  *exec.Cmd
	in   io.Closer
	said bytes.Buffer
	gone chan struct{}
}

// serve starts a server.
func (w *world) serve(name string, change func(*orders)) *child {
	w.T.Helper()
	o := w.orders
	o.Name, o.Lines = name, filepath.Join(w.folder, name+".lines")
	if change != nil {
		change(&o)
	}
	raw, err := json.Marshal(o)
	if err != nil {
		w.T.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		w.T.Fatal(err)
	}
	c := &child{name: name, cmd: exec.Command(self, serverRole, string(raw)), gone: make(chan struct{})}
	c.cmd.Stderr = &c.said
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		w.T.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait() // it is killed
		close(c.gone)
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.servers[name] = c
	return c
}

// kill kills a server at once, and reports whether it was there.
func (w *world) kill(name string) bool {
	w.mu.Lock()
	c := w.servers[name]
	delete(w.servers, name)
	w.mu.Unlock()
	if c == nil {
		return false
	}
	_ = c.cmd.Process.Kill()
	w.mu.Lock()
	w.died[name] = time.Now()
	w.mu.Unlock()
	<-c.gone
	if c.said.Len() > 0 {
		w.T.Logf("%s said: %s", name, c.said.String())
	}
	return true
}

// names returns the names of the servers that are there.
func (w *world) names() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.servers {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func (w *world) killAll() {
	for _, name := range w.names() {
		w.kill(name)
	}
}

// lines counts what functions wrote, by idempotency key.
func (w *world) lines() map[string]int {
	files, _ := filepath.Glob(filepath.Join(w.folder, "*.lines"))
	all := map[string]int{}
	for _, file := range files {
		for _, line := range faketool.Written(file) {
			all[strings.TrimPrefix(line, "function ")]++
		}
	}
	return all
}

// until waits for something.
func (w *world) until(what string, is func() bool) {
	w.T.Helper()
	for start := time.Now(); !is(); time.Sleep(75 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			w.T.Fatalf("in vain it waits until %s; the requests are %+v", what, w.requests(""))
		}
	}
}

// is reports whether a run has a status.
func (w *world) is(id string, of aaif.RunStatus) bool {
	w.T.Helper()
	return w.get(id).Status == of
}

// get returns a run as it stands.
func (w *world) get(id string) run.Run {
	w.T.Helper()
	r, _, err := w.Get(w.Ctx, w.Me(), id)
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}
