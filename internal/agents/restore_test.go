package agents_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/memory"
)

// snapshot is a state that remembers one item.
func snapshot(t testing.TB, scope, content string, ttl int) aaif.State {
	t.Helper()
	raw := `{"state_id":"s","agent_id":"a","provenance":{"source_platform":"elsewhere"},"memory_snapshot":[{"scope":%q,"key":"k","content":%q,"ttl_remaining_seconds":%d}]}`
	return aaif.ReadState(value(t, fmt.Sprintf(raw, scope, content, ttl)))
}

// restored proposes the memory of a state that came at the start, and confirms it.
func (h *house) restored(s aaif.State) (waiting int) {
	h.t.Helper()
	drafts, _, err := agents.Memories(s, start, aaif.MemoryOptions{Now: h.now, Owner: h.key.DID(), SameUser: true, Session: "s1"})
	if err != nil {
		h.t.Fatal(err)
	}
	done, err := h.vault.Suggest(context.Background(), h.owner(), drafts, false)
	if err != nil {
		h.t.Fatal(err)
	}
	return len(done.Waiting)
}

// confirmed confirms everything that waits.
func (h *house) confirmed() {
	h.t.Helper()
	list, err := h.vault.Waiting(context.Background(), h.owner())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, rec := range list {
		patch := `{"lifecycle":{"status":"active"},"time":{"valid_to":"` + rec.Time.ValidTo.Format(time.RFC3339) + `"}}`
		if _, err := h.vault.Revise(context.Background(), h.owner(), memory.Revision{ID: rec.ID, Patch: []byte(patch)}); err != nil {
			h.t.Fatal(err)
		}
	}
}

// finds reports whether a question finds a text.
func (h *house) finds(word string) bool {
	h.t.Helper()
	found, err := h.vault.Recall(context.Background(), h.owner(), memory.Query{Text: word})
	if err != nil {
		h.t.Fatal(err)
	}
	return slices.ContainsFunc(found, func(hit memory.Hit) bool { return strings.Contains(hit.Record.Body.Text, word) })
}

func TestRestoredMemory(t *testing.T) {
	t.Run("AAIF-4.5-6 what is of a session ends without anybody ending it", func(t *testing.T) {
		h := open(t)
		kept := snapshot(t, "session", "Quixotrovian flumberwicks", 0)
		if n := h.restored(kept); n != 1 {
			t.Fatalf("%d wait", n)
		}
		h.confirmed()
		if !h.finds("Quixotrovian") {
			t.Error("it is not found while the session may last")
		}
		h.now = start.Add(24*time.Hour + time.Second)
		if h.finds("Quixotrovian") {
			t.Error("it outlives the session")
		}
		if n := h.restored(kept); n != 0 {
			t.Error("it is offered anew")
		}
		for _, x := range []struct {
			scope     string
			ttl, want int
		}{{"session", 0, 24 * 3600}, {"session", 90 * 24 * 3600, 24 * 3600}, {"session", 60, 60}, {"user", 90, 90}, {"user", 0, 0}} {
			drafts, _, err := agents.Memories(snapshot(t, x.scope, "c", x.ttl), start, aaif.MemoryOptions{Now: start, SameUser: true, Session: "s1"})
			if err != nil || len(drafts) != 1 {
				t.Fatalf("%v: %d, %v", x, len(drafts), err)
			}
			if end := drafts[0].Time.ValidTo; x.want == 0 && !end.IsZero() || x.want > 0 && !end.Equal(start.Add(time.Duration(x.want)*time.Second)) {
				t.Errorf("%v: it ends at %v", x, end)
			}
		}
	})
	t.Run("AAIF-8.1-15 what has lapsed since it came is not offered anew", func(t *testing.T) {
		h := open(t)
		kept := snapshot(t, "user", "Zanzibarian pomelo", 60)
		h.now = start.Add(50 * time.Second)
		if n := h.restored(kept); n != 1 {
			t.Fatalf("%d wait", n)
		}
		h.confirmed()
		if !h.finds("Zanzibarian") {
			t.Error("it is not found while it lasts")
		}
		h.now = start.Add(61 * time.Second)
		if h.finds("Zanzibarian") {
			t.Error("it is found after its time")
		}
		if n := h.restored(kept); n != 0 {
			t.Error("it is offered anew")
		}
	})
}
