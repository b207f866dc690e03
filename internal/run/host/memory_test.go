package host_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// notes calls a tool of memory with arguments as JSON.
func notes(call, tool, arguments string) model.Step {
	return model.Step{Calls: []model.ScriptCall{{ID: call, Tool: "satchel_memory_" + tool, Arguments: json.RawMessage(arguments)}}}
}

const remembers = `"memory":[{"scope":"user","content":""},{"scope":"session","content":""},{"scope":"task","content":""},{"scope":"long_term","content":""}]`

// as starts a run of somebody, in a session, and executes it.
func (p *place) as(id, user, session, input string) run.Run {
	p.T.Helper()
	if _, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: id, Agent: agentID, Input: canon.String(input), User: user, Session: session}); err != nil {
		p.T.Fatal(err)
	}
	r, err := p.Continue(p.Ctx, p.Me(), id, run.ContinueOptions{})
	if err != nil || r.Status != aaif.Completed {
		p.T.Fatalf("got %s, %+v, %v", r.Status, r.Err, err)
	}
	return r
}

// noteRows counts the rows of notes whose spaces begin with a prefix.
func (p *place) noteRows(prefix string) (n int) {
	p.T.Helper()
	err := p.Store.View(p.Ctx, p.Key.DID(), func(r store.Reader) error {
		n = 0
		spaces, err := r.Spaces()
		for _, space := range spaces {
			if err == nil && strings.HasPrefix(space, prefix) {
				var list []store.Attachment
				list, err = r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
				n += len(list)
			}
		}
		return err
	})
	if err != nil {
		p.T.Fatal(err)
	}
	return n
}

// exported returns the texts of what the owner's export holds, with who said it.
func (p *place) exported() (all []memory.Record) {
	p.T.Helper()
	if _, err := p.Export(p.Ctx, p.Me(), vault.ExportQuery{}, func(r memory.Record) error { all = append(all, r); return nil }); err != nil {
		p.T.Fatal(err)
	}
	return all
}

// TestRemembers lets a run write notes, and a later one read them.
func TestRemembers(t *testing.T) {
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		steps := []model.Step{
			{Expect: "Learn it.", Turn: new(int), Calls: []model.ScriptCall{
				{ID: "w1", Tool: "satchel_memory_write", Arguments: json.RawMessage(`{"scope":"user","key":"editor","content":"Ann edits in Quixotrovian."}`)},
				{ID: "w2", Tool: "satchel_memory_write", Arguments: json.RawMessage(`{"scope":"task","key":"step","content":"Half of it is done."}`)},
			}},
			turn(1, model.Step{Expect: "Half of it is done.", Answer: "Learnt."}),
			{Expect: "Ann edits in Quixotrovian.", Last: "Which editor?", Turn: new(int), Answer: "Quixotrovian."},
			{Last: "Which editor?", Turn: new(int), Answer: "I do not know."},
		}
		p := open(t, house(t), steps...)
		p.take(remembers)
		first := p.as(runID, "", "", "Learn it.")
		t.Run("AAIF-4.5-7 the notes of a task are gone when it ends", func(t *testing.T) {
			if n := p.noteRows(vault.RunNoteSpace); n != 0 || first.Output != "Learnt." {
				t.Errorf("%d rows are left; %q", n, first.Output)
			}
		})
		t.Run("AAIF-4.5-3 a later run is reminded of them", func(t *testing.T) {
			if r := p.as("21111111-2222-4333-8444-555555555555", "", "", "Which editor?"); r.Output != "Quixotrovian." {
				t.Errorf("got %q", r.Output)
			}
		})
		t.Run("AAIF-4.5-4 AAIF-U.L-1 the run of another person is not", func(t *testing.T) {
			if r := p.as("31111111-2222-4333-8444-555555555555", "bob", "", "Which editor?"); r.Output != "I do not know." {
				t.Errorf("got %q", r.Output)
			}
		})
		t.Run("AAIF-12-7 a reminder is marked as data", func(t *testing.T) {
			asked := p.asked()
			if last := asked[len(asked)-2]; !strings.Contains(last, `untrusted-data from=\"memory user\"`) {
				t.Errorf("asked %s", last)
			}
		})
		waits, err := p.Waiting(p.Ctx, p.Me())
		if err != nil || len(waits) != 1 {
			t.Fatalf("%d wait, %v", len(waits), err)
		}
		t.Run("AAIF-4.5-4 what the owner confirms is in their export, and says which run wrote it", func(t *testing.T) {
			found, err := p.Recall(p.Ctx, p.Me(), memory.Query{Text: "Quixotrovian"})
			if err != nil || len(found) != 0 {
				t.Errorf("before, a question finds %d, %v", len(found), err)
			}
			if _, err := p.Revise(p.Ctx, p.Me(), memory.Revision{ID: waits[0].ID, Patch: []byte(`{"lifecycle":{"status":"active"},"provenance":` + provenanceOf(t, waits[0]) + `}`)}); err != nil {
				t.Fatal(err)
			}
			all := p.exported()
			if len(all) != 1 || all[0].Body.Text != "Ann edits in Quixotrovian." || all[0].Provenance.Actor != agentID || !strings.HasPrefix(all[0].Provenance.Source.Ref, runID) {
				t.Errorf("exported %+v", all)
			}
			if r := p.as("41111111-2222-4333-8444-555555555555", "", "", "Which editor?"); r.Output != "Quixotrovian." {
				t.Errorf("then a run says %q", r.Output)
			}
		})
		t.Run("AAIF-12-10 what is erased is in no journal", func(t *testing.T) {
			for _, rec := range p.exported() {
				if _, err := p.House.Forget(p.Ctx, p.Me(), memory.ForgetRequest{ID: rec.ID, Reason: memory.UserRevoked, Hard: true}); err != nil {
					t.Fatal(err)
				}
			}
			rows, err := p.List(p.Ctx, p.Me(), "", runstore.Place{}, 10)
			if err != nil || len(rows) != 4 {
				t.Fatalf("%d runs, %v", len(rows), err)
			}
			for _, row := range rows {
				events, err := p.Events(p.Ctx, p.Me(), row.ID, 0)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if raw, _ := e.Encode(); strings.Contains(string(raw), "edits in") {
						t.Errorf("run %s, event %d: %s", row.ID, e.Number, raw)
					}
				}
			}
			if r := p.as("51111111-2222-4333-8444-555555555555", "", "", "Which editor?"); r.Output != "I do not know." {
				t.Errorf("then a run says %q", r.Output)
			}
			if found, err := p.Health(p.Ctx); err != nil || len(found) > 0 {
				t.Errorf("doctor says %q, %v", found, err)
			}
		})
	})
}

// provenanceOf returns the provenance of a record as JSON.
func provenanceOf(t *testing.T, rec memory.Record) string {
	t.Helper()
	v, err := canon.Parse(rec.Form(), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Get("provenance").Append(nil))
}

// TestJournalOfMemory: the journal says which notes were looked up, and not what they say.
func TestJournalOfMemory(t *testing.T) {
	t.Parallel()
	p := open(t, vaulttest.Open(t), script(notes("r1", "read", `{"query":"editor"}`), model.Step{Expect: "Zanzibarian", Answer: "Done."})...)
	p.take(`"memory":[{"scope":"user","key":"editor","content":"The editor is Zanzibarian."}]`)
	p.start()
	if r := p.goOn(); r.Output != "Done." {
		t.Fatalf("got %s %q, %+v", r.Status, r.Output, r.Err)
	}
	for _, e := range p.events() {
		raw, err := e.Encode()
		if err != nil || strings.Contains(string(raw), "Zanzibarian") {
			t.Errorf("%s, %v", raw, err)
		}
	}
	if got := p.noted("memory.read"); !slices.Equal(got, []string{"1 of user"}) {
		t.Errorf("noted %q", got)
	}
}

// TestMemoryMoves: a run goes to another store with what it remembers.
func TestMemoryMoves(t *testing.T) {
	t.Parallel()
	steps := script(model.Step{Calls: []model.ScriptCall{
		{ID: "w1", Tool: "satchel_memory_write", Arguments: json.RawMessage(`{"scope":"task","key":"step","content":"Half is done."}`)},
		{ID: "c1", Tool: "pay", Arguments: json.RawMessage(`{"n":1}`)},
	}}, model.Step{Expect: "step: Half is done.", Answer: "Done."})
	a, b := open(t, vaulttest.Open(t), steps...), open(t, vaulttest.Open(t), steps...)
	for _, p := range []*place{a, b} {
		p.take(remembers, oversight)
	}
	a.start()
	if r := a.goOn(); r.Status != aaif.AwaitingApproval {
		t.Fatalf("got %s, %+v", r.Status, r.Err)
	}
	state, err := a.Leave(a.Ctx, a.Me(), runID, "d7e8f9a0-1234-4000-8000-000000000001", "b.example")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AAIF-8.1-13 the checkpoint holds it", func(t *testing.T) {
		items := aaif.ReadState(state).Memory
		if len(items) != 1 || items[0].Scope != aaif.TaskScope || items[0].Content != "Half is done." {
			t.Errorf("got %+v", items)
		}
	})
	if _, err := b.Host.Start(b.Ctx, b.Me(), host.Start{RunID: runID, Agent: agentID, State: state}); err != nil {
		t.Fatal(err)
	}
	waits := b.goOn()
	if _, err := b.Approve(b.Ctx, b.Me(), runID, "", waits.Calls[0].Digest); err != nil {
		t.Fatal(err)
	}
	if r := b.goOn(); r.Output != "Done." {
		t.Errorf("got %s %q, %+v", r.Status, r.Output, r.Err)
	}
	if _, err := a.Host.Left(a.Ctx, a.Me(), runID, "b.example"); err != nil || a.noteRows(vault.RunNoteSpace)+b.noteRows(vault.RunNoteSpace) != 0 {
		t.Errorf("notes of the task stay: %v", err)
	}
}

// TestKilledWhileItNotes kills servers between the intent to write a note and its result: before
// they write it, and as soon as it is there. There is one note, and the run tells its model of
// that one.
func TestKilledWhileItNotes(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		write := turn(0, notes("w1", "write", `{"scope":"user","key":"k","content":"It was written once."}`))
		w := openWorld(t, house(t), time.Second, []model.Step{write, turn(1, model.Step{Answer: "Done."})}, remembers)
		id := w.begin(honouring)
		sent := make(chan string, 8)
		w.onEvent = func(e runEvent) {
			if e.kind == run.Sent {
				sent <- ""
				time.Sleep(200 * time.Millisecond) // it dies meanwhile, or goes on
			}
		}
		w.serve("p1", func(o *orders) { o.Tells = true })
		<-sent
		w.kill("p1")
		w.mu.Lock()
		w.onEvent = nil
		w.mu.Unlock()
		noted := func() []memory.Record {
			waits, err := w.Waiting(w.Ctx, w.Me())
			if err != nil {
				t.Fatal(err)
			}
			return waits
		}
		if n := len(noted()); n != 0 {
			t.Fatalf("%d notes were written before", n)
		}
		w.serve("p2", nil)
		time.Sleep(w.orders.Lease / 2) // so long nobody else can take the run
		for len(noted()) == 0 {
			time.Sleep(time.Millisecond)
		}
		w.kill("p2")
		w.serve("p3", nil)
		w.until("the run has ended", func() bool { return w.is(id, aaif.Completed) })
		w.killAll()
		waits := noted()
		if len(waits) != 1 {
			t.Fatalf("%d notes", len(waits))
		}
		if r := w.get(id); !strings.Contains(fmt.Sprint(r.Messages), string(waits[0].ID)) {
			t.Errorf("the model is told of another one: %+v", r.Messages)
		}
	})
}

// TestEmbeddingsElsewhere: an agent whose data stays in the EU writes nothing that a server of
// embeddings elsewhere would get, and a server in the table of models with that region may.
func TestEmbeddingsElsewhere(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		region string
		notes  int
		asked  bool
	}{"US": {"US", 0, false}, "EU": {"EU", 1, true}, "unknown": {"", 0, false}} {
		t.Run("AAIF-4.9-6 "+name, func(t *testing.T) {
			steps := script(notes("w1", "write", `{"scope":"user","key":"pet","content":"She keeps a poodle."}`), model.Step{Answer: "Done."})
			h := vaulttest.Open(t)
			vectors := embedtest.New(t)
			h.Means(meaning.Options{Patience: time.Minute, Dial: func(_ memory.DID, s meaning.Settings) (meaning.Embedder, error) {
				return embed.NewClient(vectors.URL, s.Model, embedtest.Key, s.Dim)
			}})
			if _, err := meaning.Of(h.Vault).Use(h.Ctx, h.Me(), meaning.Settings{URL: "https://vectors.example/v1", Model: "m"}); err != nil {
				t.Fatal(err)
			}
			before := len(vectors.Texts())
			p := open(t, h, steps...)
			p.set(func(s *host.Settings) {
				if x.region != "" {
					s.Models.Providers = append(s.Models.Providers, route.Provider{Name: "vectors", BaseURL: "https://vectors.example/v1", Regions: []string{x.region}})
				}
			})
			p.take(`"memory":[{"scope":"user","content":"","retrieval_strategy":"similarity"}]`, `"compliance":{"data_residency":"EU"}`)
			p.start()
			if r := p.goOn(); r.Output != "Done." {
				t.Fatalf("got %s, %+v", r.Status, r.Err)
			}
			waits, err := p.Waiting(p.Ctx, p.Me())
			if err != nil || len(waits) != x.notes {
				t.Errorf("%d notes, %v", len(waits), err)
			}
			if said := fmt.Sprint(p.asked()); strings.Contains(said, "RESIDENCY_UNSATISFIED") == x.asked {
				t.Errorf("the model reads %s", said)
			}
			if asked := len(vectors.Texts()) > before; asked != x.asked {
				t.Errorf("the server got %q", vectors.Texts()[before:])
			}
		})
	}
}

// TestEmbeddingsStay: what an agent remembers travels as text. The platform that it comes to asks
// its own server for vectors.
func TestEmbeddingsStay(t *testing.T) {
	t.Parallel()
	steps := script(model.Step{Calls: []model.ScriptCall{
		{ID: "w1", Tool: "satchel_memory_write", Arguments: json.RawMessage(`{"scope":"user","key":"pet","content":"She keeps a poodle."}`)},
		{ID: "w2", Tool: "satchel_memory_write", Arguments: json.RawMessage(`{"scope":"user","key":"ride","content":"She takes the tram to work."}`)},
		{ID: "c1", Tool: "pay", Arguments: json.RawMessage(`{"n":1}`)},
	}}, model.Step{Answer: "Done."})
	var at []*place
	var servers []*embedtest.Server
	for range 2 {
		h, vectors := vaulttest.Open(t), embedtest.New(t)
		h.Means(meaning.Options{Patience: time.Minute, Dial: func(_ memory.DID, s meaning.Settings) (meaning.Embedder, error) {
			return embed.NewClient(vectors.URL, s.Model, embedtest.Key, s.Dim)
		}})
		if _, err := meaning.Of(h.Vault).Use(h.Ctx, h.Me(), meaning.Settings{URL: "https://vectors.example/v1", Model: "m"}); err != nil {
			t.Fatal(err)
		}
		p := open(t, h, steps...)
		p.take(`"memory":[{"scope":"user","content":"","retrieval_strategy":"similarity","top_k":1}]`, oversight)
		at, servers = append(at, p), append(servers, vectors)
	}
	a, b := at[0], at[1]
	if _, err := a.Host.Start(a.Ctx, a.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("Which dog is it?")}); err != nil {
		t.Fatal(err)
	}
	if r := a.goOn(); r.Status != aaif.AwaitingApproval {
		t.Fatalf("got %s, %+v", r.Status, r.Err)
	}
	state, err := a.Leave(a.Ctx, a.Me(), runID, "d7e8f9a0-1234-4000-8000-000000000001", "b.example")
	if err != nil {
		t.Fatal(err)
	}
	before := len(servers[1].Texts())
	if _, err := b.Host.Start(b.Ctx, b.Me(), host.Start{RunID: runID, Agent: agentID, State: state}); err != nil {
		t.Fatal(err)
	}
	waits := b.goOn()
	if _, err := b.Approve(b.Ctx, b.Me(), runID, "", waits.Calls[0].Digest); err != nil {
		t.Fatal(err)
	}
	r := b.goOn()
	t.Run("AAIF-8.1-14 no vectors in the checkpoint", func(t *testing.T) {
		items := state.Get("memory_snapshot")
		if items.Len() != 2 || regexp.MustCompile(`\[-?[0-9]`).Match(items.Append(nil)) {
			t.Errorf("got %s", items.Append(nil))
		}
	})
	t.Run("AAIF-8.1-14 computed anew", func(t *testing.T) {
		texts := servers[1].Texts()[before:]
		count := func(part string) (n int) {
			for _, text := range texts {
				if strings.Contains(text, part) {
					n++
				}
			}
			return n
		}
		last := fmt.Sprint(b.asked()[len(b.asked())-1])
		if r.Output != "Done." || count("poodle") != 1 || count("tram") != 1 || !strings.Contains(last, "pet: She keeps") || strings.Contains(last, "ride: She takes") {
			t.Errorf("%s %+v; the server got %q; the model reads %s", r.Status, r.Err, texts, last)
		}
	})
}

// TestSpansOfMemory: reads and writes of memory are spans, which say nothing that a note says.
func TestSpansOfMemory(t *testing.T) {
	t.Parallel()
	t.Run("AAIF-4.7-5 a write and the reads of two turns", func(t *testing.T) {
		p, s := traced(t, notes("w1", "write", `{"scope":"user","key":"canarykey","content":"canarytext"}`), model.Step{Answer: "Done."})
		p.take(`"memory":[{"scope":"user","content":"","backend":"redis"}]`)
		p.start()
		if r := p.goOn(); r.Output != "Done." {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		tree := s.tree()
		if s.count(trace.MemoryWrite) != 1 || s.count(trace.MemoryRead) != 2 || strings.Contains(tree, "canary") ||
			!strings.Contains(tree, "aaif.agent.memory_write memory.scope=user memory.backend=satchel\n") || !strings.Contains(tree, "aaif.agent.memory_read memory.scope=user memory.backend=satchel\n") {
			t.Errorf("got\n%s", tree)
		}
	})
}

// TestMemoryPassed: what a subagent, or the agent that a run is handed to, reads of the memory of
// the agent that it comes from.
func TestMemoryPassed(t *testing.T) {
	t.Parallel()
	const declared = `"memory":[{"scope":"long_term","key":"a","content":"fact alpha"},{"scope":"long_term","key":"b","content":"fact beta"},{"scope":"user","key":"u","content":"fact upsilon"}]`
	reads := func(t *testing.T, c *crew, want string) {
		t.Helper()
		if r := c.runs(canon.String("x")); r.Status != aaif.Completed {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		asked := c.of("other")
		if len(asked) != 1 {
			t.Fatalf("it was asked %d times", len(asked))
		}
		got := ""
		for _, fact := range []string{"alpha", "beta", "upsilon"} {
			if strings.Contains(asked[0].q.System, "fact "+fact) {
				got += fact + " "
			}
		}
		if got != want {
			t.Errorf("it reads %q, want %q", got, want)
		}
	}
	for member, want := range map[string]string{`,"pass_memory":true`: "alpha beta ", "": ""} {
		t.Run("AAIF-4.3-20 a handoff with "+member, func(t *testing.T) {
			c := gather(t, nil)
			c.agent("other")
			c.agent("lead", orchestration(`"handoff":[{"condition":{"lang":"always"},"target_agent":"`+idOf("other")+`"`+member+`}]`), declared)
			reads(t, c, want)
		})
	}
	for member, want := range map[string]string{`|"pass_memory_keys":["a"]`: "alpha ", `|"pass_memory_keys":["u","b"]`: "beta upsilon ", "": ""} {
		t.Run("AAIF-4.3-21 a subagent with "+member, func(t *testing.T) {
			c := gather(t, nil)
			c.agent("other")
			c.agent("lead", orchestration(`"role":"orchestrator"`, subs("other"+member), `"pipeline":["other"]`), declared)
			reads(t, c, want)
		})
	}
}
