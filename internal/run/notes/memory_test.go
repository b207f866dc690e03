package notes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/memory"
)

// attachments returns the rows of notes.
func (h *house) attachments() (all []store.Attachment) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		all = nil
		spaces, err := r.Spaces()
		for _, space := range spaces {
			if err == nil && strings.HasPrefix(space, vault.NoteSpace) {
				var list []store.Attachment
				list, err = r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
				all = append(all, list...)
			}
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return all
}

// rows counts the rows that hold notes of a scope.
func (h *house) rows(scope string) (n int) {
	for _, a := range h.attachments() {
		var d struct{ Scope string }
		if json.Unmarshal(a.Data, &d) == nil && d.Scope == scope {
			n++
		}
	}
	return n
}

func TestScopes(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, h *house) {
		d := agent(t, clerk, all)
		first := h.opens(d, "run-1", of("ann", "s1"))
		for _, scope := range []string{"user", "session", "task", "long_term"} {
			first.writes(scope, "k", "ann's "+scope)
		}
		reads := func(t *testing.T, m *mind, want ...string) {
			t.Helper()
			for _, scope := range []string{"user", "session", "task", "long_term"} {
				got, there := m.says(scope, "k"), slices.Contains(want, scope)
				if there && got != "ann's "+scope || !there && got != "" {
					t.Errorf("%s: got %q", scope, got)
				}
			}
		}
		reads(t, first, "user", "session", "task", "long_term")
		t.Run("AAIF-4.5-3 user memory lasts from one session to the next", func(t *testing.T) { reads(t, h.opens(d, "run-2", of("ann", "s2")), "user", "long_term") })
		t.Run("AAIF-4.5-5 session memory is there in the session alone", func(t *testing.T) {
			reads(t, h.opens(d, "run-3", of("ann", "s1")), "user", "session", "long_term")
			reads(t, h.opens(d, "run-3", of("ann", "")), "user", "long_term")
		})
		t.Run("AAIF-4.5-4 no other user reads it", func(t *testing.T) { reads(t, h.opens(d, "run-4", of("bob", "s1")), "long_term") })
		t.Run("AAIF-4.5-7 a run beside it does not see its task", func(t *testing.T) {
			beside := h.opens(d, "run-5", of("ann", "s1"))
			beside.writes("task", "k", "another task")
			if got := first.says("task", "k"); got != "ann's task" {
				t.Errorf("got %q", got)
			}
		})
		t.Run("AAIF-4.5-8 long_term is for all users of the agent, and for no other agent", func(t *testing.T) {
			reads(t, h.opens(d, "run-6", of("", "")), "long_term")
			reads(t, h.opens(agent(t, other, all), "run-7", of("ann", "s1")))
		})
	})
}

func TestEnds(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, h *house) {
		d := agent(t, clerk, `{"scope":"session"},{"scope":"user","key":"brief","ttl_seconds":1},{"scope":"user","key":"ever","ttl_seconds":0}`)
		m := h.opens(d, "run-1", of("", "s1"))
		m.writes("session", "k", "of the session")
		t.Run("AAIF-4.5-6 nothing is left of a session that was ended", func(t *testing.T) {
			if n := h.rows("session"); n != 1 {
				t.Fatalf("%d rows before", n)
			}
			n, _, err := h.store.Drop(h.Ctx, h.Me(), clerk, "", func(n notestore.Note) bool { return n.Session == "s1" })
			if left := h.rows("session"); n != 1 || err != nil || left != 0 || m.says("session", "k") != "" {
				t.Errorf("%d dropped, %d rows left, %v", n, left, err)
			}
		})
		t.Run("AAIF-4.5-6 nothing is left of a session that nobody ended", func(t *testing.T) {
			m.writes("session", "k", "again")
			h.Pass(24*time.Hour - time.Minute)
			if m.says("session", "k") != "again" {
				t.Error("it is gone before")
			}
			h.Pass(2 * time.Minute)
			if m.says("session", "k") != "" {
				t.Error("it is read after")
			}
			if n, err := h.store.Sweep(h.Ctx, h.Me()); n != 1 || err != nil || h.rows("session") != 0 {
				t.Errorf("%d swept, %d left, %v", n, h.rows("session"), err)
			}
		})
		t.Run("AAIF-4.5-14 a time to live ends, and 0 never does", func(t *testing.T) {
			m.writes("user", "brief", "for a second")
			m.writes("user", "ever", "for ever")
			if m.says("user", "brief") == "" {
				t.Error("it is gone at once")
			}
			h.Pass(2 * time.Second)
			if got := m.says("user", "brief"); got != "" {
				t.Errorf("it is there after its time: %q", got)
			}
			h.Pass(10 * 365 * 24 * time.Hour)
			if got := m.says("user", "ever"); got != "for ever" {
				t.Errorf("after ten years: %q", got)
			}
		})
	})
}

func TestUsersApart(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, h *house) {
		t.Run("AAIF-4.5-4 two users at once, at random", func(t *testing.T) {
			ops := 1000
			if h.Path == "" && os.Getenv("SATCHEL_LONG") == "" {
				ops = 200 // a database takes several times as long
			}
			h.atRandom(t, ops)
		})
	})
}

// atRandom lets two users write and read at once. Every text names its writer.
func (h *house) atRandom(t *testing.T, ops int) {
	d := agent(t, clerk, `{"scope":"user","retrieval_strategy":"keyword","top_k":50},{"scope":"session","top_k":50},{"scope":"task","top_k":50}`)
	type op struct {
		write      bool
		scope, key string
		session    string
	}
	script := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
		return op{rapid.IntRange(0, 3).Draw(t, "write") == 0, rapid.SampledFrom([]string{"user", "session", "task"}).Draw(t, "scope"),
			rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"), rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "session")}
	}), ops/2, ops/2)
	var both sync.WaitGroup
	var mu sync.Mutex
	var foreign []string
	for i, user := range []string{"ann", "bob"} {
		todo := script.Example(i)
		minds := map[string]*mind{}
		for _, s := range []string{"s1", "s2"} {
			minds[s] = h.opens(d, user+"-run-"+s, of(user, s))
		}
		both.Go(func() {
			for n, o := range todo {
				m := minds[o.session]
				var found []string
				switch {
				case o.write:
					args := map[string]string{"scope": o.scope, "key": o.key, "content": fmt.Sprintf("poodle of %s, number %d", user, n)}
					if _, err := m.callAs(fmt.Sprint(user, n), writeTool, args); err != nil {
						t.Error(err)
					}
				case n%2 == 0:
					text, _, _, err := m.Remind(h.Ctx, []aaif.Message{{Role: "user", Content: "poodle of bob or ann"}})
					if err != nil {
						t.Error(err)
					}
					found = strings.Split(text, "\n")
				default:
					found = m.looks(map[string]string{"scope": o.scope, "key": o.key})
				}
				for _, line := range found {
					if strings.Contains(line, "poodle of ") && !strings.Contains(line, "poodle of "+user) {
						mu.Lock()
						foreign = append(foreign, user+" reads "+line)
						mu.Unlock()
					}
				}
			}
		})
	}
	both.Wait()
	if len(foreign) > 0 {
		t.Errorf("%d foreign items, such as %q", len(foreign), foreign[0])
	}
}

func TestSeeds(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, h *house) {
		d := agent(t, clerk, `{"scope":"user","key":"k","content":"x"},{"scope":"long_term","key":"l","content":"y"},{"scope":"task","key":"t","content":"z"}`)
		t.Run("AAIF-4.5-15 content of a definition is written once, and never over a later value", func(t *testing.T) {
			m := h.opens(d, "run-1")
			if m.says("user", "k") != "x" || m.says("long_term", "l") != "y" || m.says("task", "t") != "z" {
				t.Error("it is not there at the first run")
			}
			m.writes("user", "k", "changed")
			again := agent(t, clerk, `{"scope":"user","key":"k","content":"new in the definition"},{"scope":"long_term","key":"l","content":"y"},{"scope":"task","key":"t","content":"z"}`)
			m = h.opens(again, "run-2")
			if got := m.says("user", "k"); got != "changed" {
				t.Errorf("got %q", got)
			}
			if m.says("task", "t") != "z" {
				t.Error("a new task begins without it")
			}
			if n := len(h.records()); n != 2 {
				t.Errorf("%d records wait for two notes", n)
			}
		})
		t.Run("AAIF-4.5-15 what the owner forgot does not come back", func(t *testing.T) {
			for _, rec := range h.records() {
				if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: rec.ID, Reason: memory.Incorrect, Hard: rec.Body.Text == "y"}); err != nil {
					t.Fatal(err)
				}
			}
			m := h.opens(d, "run-3")
			if a, b := m.says("user", "k"), m.says("long_term", "l"); a != "" || b != "" {
				t.Errorf("got %q and %q", a, b)
			}
			_, err := m.call(writeTool, map[string]string{"scope": "user", "key": "k", "content": "changed"})
			if failed, ok := errors.AsType[*tool.Error](err); !ok || failed.Code != "MEMORY_DECLINED" {
				t.Errorf("what was rejected is noted again: %v", err)
			}
		})
	})
}
