package vault_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// tells remembers a text as a chunk of a bundle is remembered.
func (h *house) tells(text, kind string, pinned bool) memory.ID {
	h.T.Helper()
	chunk := fmt.Sprintf(`{"id":"urn:aimem:test:%x","memory_type":%q,"zone":"standard","is_pinned":%t,"created_at":"2026-06-04T10:00:00Z"}`, text, kind, pinned)
	v := h.Must(ump.OpRemember, fmt.Sprintf(`{"record":{"kind":"semantic","time":{"created":"2026-06-04T10:00:00Z"},"body":{"text":%q,"structured":{"memory_type":%q,"aimem":{"v":1,"chunk":%s}}}}}`, text, kind, chunk))
	return memory.ID(v["id"].(string))
}

func TestProtected(t *testing.T) { onEach(t, testProtected) }

func testProtected(t *testing.T, open opener) {
	h := open(t)
	ids := map[memory.ID]bool{} // whether it is protected
	var one [2]memory.ID        // one that is not, and one that is
	for _, kind := range []string{"preference", "decision", "identity", "pitfall", "procedure", "fact", "episodic", "goal"} {
		for _, pinned := range []bool{false, true} {
			text := fmt.Sprintf("a quince %s, %t", kind, pinned)
			id := h.tells(text, kind, pinned)
			dna := !slices.Contains([]string{"fact", "episodic", "goal"}, kind)
			t.Run("AIMEM-1.2-4 AIMEM-2.2-18 "+text, func(t *testing.T) {
				if got := aimem.Protected(h.MustGet(id)); got != (dna || pinned) {
					t.Errorf("protected: %t", got)
				}
			})
			if ids[id] = dna || pinned; ids[id] {
				one[1] = id
			} else {
				one[0] = id
			}
		}
	}
	was, scores := map[memory.ID]memory.Record{}, h.Scores()
	for id := range ids {
		was[id] = h.MustGet(id)
	}
	h.Pass(10 * 365 * 24 * time.Hour)
	for _, job := range []func() error{
		func() error { return h.SweepAll(h.Ctx) }, func() error { return h.TidyAll(h.Ctx) },
		func() error { _, err := h.ReindexAll(h.Ctx, func(int) {}); return err },
	} {
		if err := job(); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("AIMEM-5.1-1 AIMEM-5.1-2 AIMEM-5.1-3 jobs leave records as they are", func(t *testing.T) {
		for id := range ids {
			now := h.MustGet(id)
			if !bytes.Equal(now.Origin, was[id].Origin) || !bytes.Equal(now.Current, was[id].Current) || now.Body.Text == "" {
				t.Errorf("%s changed", was[id].Body.Text)
			}
		}
	})
	t.Run("AIMEM-5.1-5 AIMEM-5.1-1 AIMEM-2.2-15 what is protected does not sink with age", func(t *testing.T) {
		after := h.Scores()
		for id, spared := range ids {
			if same := after[id] == scores[id]; same != spared {
				t.Errorf("%s: score %v, was %v", was[id].Body.Text, after[id], scores[id])
			}
		}
	})
	t.Run("AIMEM-5.1-6 only whoever revises a record unpins it", func(t *testing.T) {
		id := h.tells("a pinned quince", "fact", true)
		r, err := h.Revise(h.Ctx, h.Me(), memory.Revision{ID: id,
			Patch: []byte(`{"body":{"structured":{"aimem":{"chunk":{"is_pinned":false}}}}}`)})
		if err != nil || !aimem.Protected(h.MustGet(id)) || aimem.Protected(h.MustGet(r.ID)) {
			t.Fatalf("%+v, %v", r, err)
		}
	})
	t.Run("AIMEM-5.1-2 retention that the owner set on that very record ends it, in the log", func(t *testing.T) {
		id := h.Tell("a fleeting rule", `"kind":"procedural"`, `"consent":{"retention":"P1D"}`)
		h.Pass(48 * time.Hour)
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 1 || err != nil || !aimem.Protected(was[one[1]]) {
			t.Fatalf("swept %d, %v", n, err)
		}
		if h.MustGet(id).Body.Text == "a fleeting rule" || !h.audited(audit.Expire) {
			t.Error("it is still there, or nobody was told")
		}
	})
	t.Run("AIMEM-5.1-4 what the owner forgets is gone at once", func(t *testing.T) {
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: one[1], Reason: "other", Hard: true}); err != nil {
			t.Fatal(err)
		}
		if _, there := h.Scores()[one[1]]; there {
			t.Error("it is recalled")
		}
	})
}
