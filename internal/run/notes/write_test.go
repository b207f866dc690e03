package notes_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/notes"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// refuses writes a note that is refused, and returns the code.
func (m *mind) refuses(scope, text string) aaif.Code {
	m.house.T.Helper()
	_, err := m.call(writeTool, map[string]string{"scope": scope, "key": "k", "content": text})
	if failed, ok := errors.AsType[*tool.Error](err); ok {
		return failed.Code
	}
	m.house.T.Errorf("it is not refused: %v", err)
	return ""
}

const mail = "Write to john.smith@mail.example about it."

func TestPersonalData(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, h *house) {
		pii := func(policy string) string { return `"compliance":{"pii_handling":"` + policy + `"}` }
		t.Run("AAIF-4.5-16 anonymize keeps a token", func(t *testing.T) {
			m := h.opens(agent(t, clerk, all, pii("anonymize")), "run-1", of("a", ""))
			m.writes("user", "k", mail)
			if got := m.says("user", "k"); strings.Contains(got, "john") || !strings.Contains(got, "EMAIL") {
				t.Errorf("got %q", got)
			}
		})
		t.Run("AAIF-4.5-16 reject refuses", func(t *testing.T) {
			m := h.opens(agent(t, clerk, all+`,{"scope":"user","key":"seed","content":"`+mail+`"}`, pii("reject")), "run-2", of("b", ""))
			if got := m.refuses("user", mail); got != "MEMORY_PII_REJECTED" {
				t.Errorf("got %s", got)
			}
			if _, found := m.reminded("what?"); len(found) == 0 || !strings.Contains(found[0].Text, "MEMORY_PII_REJECTED") {
				t.Errorf("of the seed it says %v", found)
			}
		})
		t.Run("AAIF-U.L-1 encrypt seals, and no other user reads it", func(t *testing.T) {
			d := agent(t, clerk, all, pii("encrypt"))
			m := h.opens(d, "run-3", of("c", ""))
			m.writes("user", "sealed", mail)
			m.writes("task", "sealed", mail)
			if got := m.says("user", "sealed"); got != mail {
				t.Errorf("its own user reads %q", got)
			}
			if got := h.opens(d, "run-3", of("d", "")).says("user", "sealed"); got != "" {
				t.Errorf("another reads %q", got)
			}
			for _, rec := range h.records() {
				if strings.Contains(rec.Body.Text, "john") {
					t.Error("it is proposed in the clear")
				}
			}
			for _, end := range []string{"", "-wal"} {
				raw, err := os.ReadFile(h.Path + end)
				if h.Path != "" && err == nil && bytes.Contains(raw, []byte("john.smith")) {
					t.Errorf("the file%s holds it in the clear", end)
				}
			}
			h.notInRows(t, "john.smith")
		})
		t.Run("AAIF-4.5-16 a definition that comes to ask for encryption has its earlier notes sealed", func(t *testing.T) {
			h.opens(agent(t, other, all), "run-6", of("e", "")).writes("user", "k", "Zanzibarian")
			m := h.opens(agent(t, other, all, pii("encrypt")), "run-7", of("e", ""))
			if got := m.says("user", "k"); got != "Zanzibarian" {
				t.Errorf("got %q", got)
			}
			for _, rec := range h.records() {
				if rec.Body.Text == "Zanzibarian" {
					t.Error("it still waits in the clear")
				}
			}
			h.notInRows(t, "Zanzibarian")
		})
		t.Run("AAIF-4.5-8 long_term at strict needs anonymize or encrypt", func(t *testing.T) {
			strict := func(policy string) aaif.Definition {
				return agent(t, other, all, `"compliance":{"safety_level":"strict","pii_handling":"`+policy+`"}`)
			}
			if got := h.opens(strict("detect"), "run-4").refuses("long_term", "x"); got != "MEMORY_PII_REJECTED" {
				t.Errorf("got %s", got)
			}
			h.opens(strict("anonymize"), "run-4").writes("long_term", "k", "x")
		})
		t.Run("AAIF-4.9-6 a server of embeddings elsewhere gets nothing", func(t *testing.T) {
			d := agent(t, clerk, `{"scope":"user","retrieval_strategy":"hybrid"},{"scope":"task"}`)
			m := h.opens(d, "run-5", func(o *notes.Options) { o.Meaning, o.Misplaced = failing{t}, "it is in the US" })
			if got := m.refuses("user", "x"); got != "RESIDENCY_UNSATISFIED" {
				t.Errorf("got %s", got)
			}
			m.writes("task", "k", "found by words")
			m.reminded("words")
		})
	})
}

// failing compares nothing.
type failing struct{ testing.TB }

func (f failing) Alike(context.Context, memory.DID, string, []string) ([]float64, string, error) {
	f.Error("the server is asked")
	return nil, "", nil
}

// notInRows fails if a row of the notes holds a text in the clear.
func (h *house) notInRows(t *testing.T, text string) {
	t.Helper()
	sealed := 0
	for _, a := range h.attachments() {
		if bytes.Contains(a.Data, []byte(text)) {
			t.Errorf("a row holds %s", a.Data)
		}
		if vault.IsSealed(a.Data) {
			sealed++
		}
	}
	if sealed == 0 {
		t.Error("nothing is sealed")
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, h *house) {
		m := h.opens(agent(t, clerk, all), "run-1")
		args := map[string]string{"scope": "user", "key": "k", "content": "one"}
		first, err := m.callAs("key-1", writeTool, args)
		if err != nil {
			t.Fatal(err)
		}
		again, err := m.callAs("key-1", writeTool, args)
		if err != nil || again.Text != first.Text {
			t.Errorf("made again: %s, %v; at first %s", again.Text, err, first.Text)
		}
		m.writes("user", "k", "two")
		if _, err := m.callAs("key-1", writeTool, args); err != nil || m.says("user", "k") != "two" {
			t.Errorf("a repeated write replaces a later one: %q, %v", m.says("user", "k"), err)
		}
		if list := h.records(); len(list) != 1 || list[0].Body.Text != "two" {
			t.Errorf("%d records wait", len(list))
		}
		p := h.records()[0].Provenance
		if p.Actor != clerk || p.ActorKind != memory.ByAgent || p.Source == nil || p.Source.Ref != "run-1#k" {
			t.Errorf("its provenance is %+v", p)
		}
	})
}

func TestPassed(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	ann := h.opens(agent(t, clerk, all), "run-1", of("ann", "s1"))
	h.opens(agent(t, clerk, all), "run-0", of("bob", "s1")).writes("user", "a", "bob's a")
	for _, scope := range []string{"user", "task", "long_term"} {
		ann.writes(scope, "a", scope+" a")
		ann.writes(scope, "b", scope+" b")
	}
	passes := func(p notes.PassedNotes) string {
		m := h.opens(agent(t, other, ""), "run-1", of("ann", "s1"), func(o *notes.Options) { o.Passed = p })
		if len(m.tools.Offered()) != 1 {
			t.Error("it may write")
		}
		return strings.Join(m.looks(nil), ", ")
	}
	t.Run("AAIF-4.3-20 pass_memory passes long_term alone", func(t *testing.T) {
		if got := passes(notes.PassedNotes{Agent: clerk, LongTerm: true}); got != "long_term/b: long_term b, long_term/a: long_term a" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("AAIF-4.3-21 pass_memory_keys passes notes of these keys", func(t *testing.T) {
		if got := passes(notes.PassedNotes{Agent: clerk, Keys: []string{"a"}}); got != "user/a: user a, task/a: task a, long_term/a: long_term a" {
			t.Errorf("got %s", got)
		}
	})
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	d := agent(t, clerk, `{"scope":"user","key":"brief","ttl_seconds":60},{"scope":"session"},{"scope":"task"},{"scope":"long_term"}`)
	m := h.opens(d, "run-1", of("ann", ""))
	h.opens(d, "run-2", of("bob", "")).writes("user", "k", "bob's")
	for _, scope := range []string{"session", "task", "long_term"} {
		m.writes(scope, "k", "of "+scope)
	}
	m.writes("user", "brief", "for a minute")
	h.Pass(50 * time.Second)
	items, err := m.Snapshot(h.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AAIF-8.1-13 a snapshot holds all that the run remembers, and nothing of other users", func(t *testing.T) {
		if len(items) != 4 {
			t.Errorf("got %d: %+v", len(items), items)
		}
		for _, it := range items {
			if it.Key == "" || it.Content == "" || !it.CapturedAt.Equal(h.Now) || strings.Contains(it.Content, "bob") {
				t.Errorf("got %+v", it)
			}
		}
	})
	t.Run("AAIF-8.1-15 what is left of a time to live is the new one, and what expired stays behind", func(t *testing.T) {
		left := map[string]int{}
		for _, it := range items {
			left[string(it.Scope)] = it.TTL
		}
		if left["user"] != 10 || left["task"] != 0 {
			t.Errorf("got %v", left)
		}
		to := openHouse(t)
		to.Now = h.Now
		state := aaif.State{ID: "s", AgentID: clerk, RunID: "run-1", Memory: items}
		there := to.opens(d, "run-1", of("ann", ""), func(o *notes.Options) { o.State, o.Came = state, to.Now })
		if there.says("user", "brief") != "for a minute" || there.says("task", "k") != "of task" {
			t.Error("it does not arrive")
		}
		to.Pass(11 * time.Second)
		if there.says("user", "brief") != "" || there.says("task", "k") != "of task" {
			t.Error("its time is another one")
		}
		if again, err := there.Snapshot(to.Ctx); err != nil || len(again) != 3 {
			t.Errorf("then %d are captured, %v", len(again), err)
		}
	})
}

func TestReserved(t *testing.T) {
	t.Parallel()
	h := openHouse(t)
	m := h.opens(agent(t, clerk, all), "run-1")
	tools, err := m.Tools(declares{})
	if err != nil {
		t.Fatal(err)
	}
	offered := tools.Offered()
	if len(offered) != 3 || offered[2].Name != writeTool || offered[2].Missing == nil {
		t.Errorf("a tool of the agent takes the name: %+v", offered)
	}
	if err := tools.Check(writeTool, canon.Object(canon.Member{Name: "scope", Value: canon.String("global")})); err == nil {
		t.Error("another scope is taken")
	}
}

// declares is an agent's own tool with a name of memory.
type declares struct{ noTools }

func (declares) Offered() []tool.Offered { return []tool.Offered{{Name: writeTool}} }
