package notes_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/notes"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const (
	clerk = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	other = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a02"
)

// The tools of memory.
const (
	readTool  = "satchel_memory_read"
	writeTool = "satchel_memory_write"
)

// house is a store in which agents remember.
type house struct {
	*vaulttest.House
	store *notestore.Service
	calls int
}

// onEach runs a test over both kinds of store.
func onEach(t *testing.T, test func(*testing.T, *house)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		h := open(t)
		test(t, &house{House: h, store: notestore.New(h.Vault)})
	})
}

func openHouse(t *testing.T) *house {
	h := vaulttest.Open(t)
	return &house{House: h, store: notestore.New(h.Vault)}
}

// all are entries of all scopes, without content.
const all = `{"scope":"user"},{"scope":"session"},{"scope":"task"},{"scope":"long_term"}`

// agent returns a definition with entries of memory, and further members.
func agent(t testing.TB, id, entries string, members ...string) aaif.Definition {
	t.Helper()
	v, err := aaif.FromJSON([]byte(`{"agent_id":"`+id+`","agent":{"name":"Clerk","memory":[`+entries+`]`+strings.Join(append([]string{""}, members...), ",")+`}}`), aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return aaif.ReadDefinition(v)
}

// noTools are the tools of an agent without tools.
type noTools struct{ run.Tools }

func (noTools) Offered() []tool.Offered { return nil }

// mind is the memory of a run, with its tools.
type mind struct {
	*notes.Memory
	house *house
	tools run.Tools
}

// opens opens the memory of a run; change says whose it is.
func (h *house) opens(d aaif.Definition, runID string, change ...func(*notes.Options)) *mind {
	h.T.Helper()
	o := notes.Options{Store: h.store, Caller: h.Me(), Definition: d, Run: runID, Now: func() time.Time { return h.Now }}
	for _, c := range change {
		c(&o)
	}
	m, err := notes.Open(h.Ctx, o)
	if err != nil || m == nil {
		h.T.Fatalf("no memory: %v", err)
	}
	tools, err := m.Tools(noTools{})
	if err != nil {
		h.T.Fatal(err)
	}
	return &mind{m, h, tools}
}

func of(user, session string) func(*notes.Options) {
	return func(o *notes.Options) { o.User, o.Session = user, session }
}

// call calls a tool of memory as a model does.
func (m *mind) call(name string, members map[string]string) (tool.Result, error) {
	m.house.calls++
	return m.callAs(fmt.Sprint("call ", m.house.calls), name, members)
}

func (m *mind) callAs(key, name string, members map[string]string) (tool.Result, error) {
	args := canon.Object()
	for k, v := range members {
		args = args.With(k, canon.String(v))
	}
	if err := m.tools.Check(name, args); err != nil {
		return tool.Result{}, err
	}
	return m.tools.Call(m.house.Ctx, tool.Call{Name: name, Arguments: args, Key: key})
}

// writes writes a note.
func (m *mind) writes(scope, key, text string) {
	m.house.T.Helper()
	if _, err := m.call(writeTool, map[string]string{"scope": scope, "key": key, "content": text}); err != nil {
		m.house.T.Fatalf("%s/%s is not written: %v", scope, key, err)
	}
}

// looks returns what a model reads as the result of a look at memory, as "scope/key: content"
// lines.
func (m *mind) looks(members map[string]string) (lines []string) {
	m.house.T.Helper()
	r, err := m.call(readTool, members)
	if err != nil {
		m.house.T.Fatal(err)
	}
	_, said, _, err := m.Remind(m.house.Ctx, []aaif.Message{{Role: "tool", Tool: readTool, Content: r.Text}})
	if err != nil {
		m.house.T.Fatal(err)
	}
	v, err := canon.Parse([]byte(said[0].Content), canon.Options{})
	if err != nil {
		m.house.T.Fatal(err)
	}
	for _, n := range v.Get("notes").Items() {
		lines = append(lines, n.Get("scope").Text()+"/"+n.Get("key").Text()+": "+n.Get("content").Text())
	}
	return lines
}

// says returns what stands under a name; empty: nothing does.
func (m *mind) says(scope, key string) string {
	m.house.T.Helper()
	for _, line := range m.looks(map[string]string{"scope": scope, "key": key}) {
		return strings.TrimPrefix(line, scope+"/"+key+": ")
	}
	return ""
}

// reminded returns what the model is reminded of when a person asks something, and what the run
// notes of it.
func (m *mind) reminded(question string) (string, []run.Note) {
	m.house.T.Helper()
	text, _, found, err := m.Remind(m.house.Ctx, []aaif.Message{{Role: "user", Content: question}})
	if err != nil {
		m.house.T.Fatal(err)
	}
	return text, found
}

// records returns the records of the owner.
func (h *house) records() (list []memory.Record) {
	h.T.Helper()
	list, err := h.Waiting(h.Ctx, h.Me())
	if err != nil {
		h.T.Fatal(err)
	}
	return list
}
