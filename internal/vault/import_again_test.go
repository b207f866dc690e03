package vault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// grown is an export of three conversations, and the same export later: one has gone on,
// one has another title, one has another answer, and one is new.
func grown() (before, after func() *talks) {
	before = func() *talks {
		return &talks{todo: [][]memory.Record{
			{said("a", "", "Conversation: Bread", 1), said("a", "1", "User: Hello\n\nAssistant: Hi", 1)},
			{said("b", "", "Conversation: Cats", 2), said("b", "1", "User: Hello\n\nAssistant: Hi", 2)},
			{said("c", "", "Conversation: Tea", 3), said("c", "1", "User: Green?\n\nAssistant: Yes", 3)},
			{said("d", "", "Conversation: Snow", 4), said("d", "1", "User: When?\n\nAssistant: Soon", 4)},
		}}
	}
	after = func() *talks {
		return &talks{todo: [][]memory.Record{
			{said("a", "", "Conversation: Bread (2)", 9), said("a", "1", "User: Hello\n\nAssistant: Hi", 1), said("a", "2", "User: Rye?\n\nAssistant: Yes", 9)},
			{said("b", "", "Conversation: Two cats", 2), said("b", "1", "User: Hello\n\nAssistant: Hi", 2)},
			{said("c", "", "Conversation: Tea", 3), said("c", "1", "User: Green?\n\nAssistant: Never", 8)},
			{said("d", "", "Conversation: Snow", 4), said("d", "1", "User: When?\n\nAssistant: Soon", 4)},
			{said("e", "", "Conversation: Rain", 10), said("e", "1", "User: Hello\n\nAssistant: Hi", 10)},
		}}
	}
	return before, after
}

// both imports an export, dry and for real, and expects the same report.
func (h *house) both(make func() *talks, digest string) vault.ImportReport {
	h.T.Helper()
	o := vault.ImportOptions{Digest: digest, DryRun: true}
	dry := h.MustTake(make(), o)
	o.DryRun = false
	r := h.MustTake(make(), o)
	told := func(r vault.ImportReport) string {
		return fmt.Sprint(r.Read, r.Created, r.Updated, r.Merged, r.Skipped, r.Conflicting, r.Skips, r.Conflicts, r.Units, r.Before)
	}
	if told(dry) != told(r) {
		h.T.Errorf("dry: %s, real: %s", told(dry), told(r))
	}
	return r
}

func TestImportGrown(t *testing.T) { onEach(t, testImportGrown) }

func testImportGrown(t *testing.T, open opener) {
	before, after := grown()
	h := open(t)
	vaulttest.WantCounts(t, h.both(before, "1"), 8, 0)
	r := h.both(after, "2")
	if r.Created != 6 || r.Updated != 3 || r.Merged != 5 || r.Skipped+r.Conflicting != 0 {
		t.Fatalf("%+v", r)
	}
	if got := h.Texts(memory.Query{Text: "green"}); len(got) != 1 || got[0] != "User: Green?\n\nAssistant: Never" {
		t.Errorf("%q", got)
	}
	again := h.both(after, "3")
	if again.Created != 0 || again.Merged != 11 {
		t.Errorf("again: %+v", again)
	}
	old := h.both(before, "4") // an older export does not put back what it says
	if old.Created != 0 && old.Updated != 1 || old.Skipped == 0 || old.Skips[0].Reason != "a later version of it is here" {
		t.Errorf("the older: %+v", old)
	}
}

// What the owner has done about what was imported stays, and is told as a conflict.
func TestImportConflicts(t *testing.T) { onEach(t, testImportConflicts) }

func testImportConflicts(t *testing.T, open opener) {
	before, after := grown()
	h := open(t)
	h.both(before, "1")
	find := func(text string) memory.ID {
		t.Helper()
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: text})
		if err != nil || len(hits) == 0 {
			t.Fatal(text, err)
		}
		return hits[0].Record.ID
	}
	revised, forgotten, erased := find("cats"), find("green"), find("snow")
	h.Must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"About my cats"}}}`)
	h.Must(ump.OpForget, `{"id":"`+string(forgotten)+`","reason":"user_revoked"}`)
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: erased, Hard: true, Reason: memory.UserRevoked}); err != nil {
		t.Fatal(err)
	}
	r := h.both(after, "2")
	if r.Created != 4 || r.Updated != 1 || r.Merged != 4 || r.Conflicting != 3 || r.Skipped != 0 {
		t.Errorf("%+v", r)
	}
	refs := map[string]memory.ID{}
	for _, c := range r.Conflicts {
		for _, p := range c.Some {
			refs[p.Ref] = p.ID
		}
		if c.Count != 1 || c.Reason == "" {
			t.Errorf("%+v", c)
		}
	}
	if refs["conversations/b"] != revised || refs["conversations/c/1"] != forgotten || refs["conversations/d"] == "" {
		t.Errorf("%v", refs)
	}
	if got := h.Texts(memory.Query{Text: "cats"}); len(got) != 1 || got[0] != "About my cats" {
		t.Errorf("%q", got)
	}
	for _, text := range h.Texts(memory.Query{Text: "green never snow"}) {
		if strings.Contains(text, "Green") || text == "Conversation: Snow" {
			t.Errorf("brought back: %q", text)
		}
	}
}

// Imports of which the later superseded what the earlier brought are taken back in any
// order, and what is left is what was there before.
func TestImportUndoChain(t *testing.T) {
	before, after := grown()
	for _, first := range []int64{1, 2} {
		h := open(t)
		h.both(before, "1")
		h.both(after, "2")
		plan, err := h.PlanUndo(h.Ctx, h.Me(), first)
		if err != nil {
			t.Fatal(err)
		}
		done, err := h.Undo(h.Ctx, h.Me(), first)
		if err != nil || plan.Remove != done.Removed || plan.Changed+plan.BuiltOn != done.Kept {
			t.Fatalf("planned %+v, done %+v, %v", plan, done, err)
		}
		if got := h.Texts(memory.Query{Text: "green"}); first == 2 && (len(got) == 0 || got[0] != "User: Green?\n\nAssistant: Yes") {
			t.Errorf("after taking back the later: %q", got)
		}
		if first == 2 { // a thing goes on from what tells of it now
			if r := h.both(after, "2"); r.Updated != 3 {
				t.Errorf("imported again: %+v", r)
			}
			if _, err := h.Undo(h.Ctx, h.Me(), 3); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.Undo(h.Ctx, h.Me(), 3-first); err != nil || h.Count() != 0 {
			t.Errorf("undone %d first: %d records left, %v", first, h.Count(), err)
		}
	}
}

// A document that another process has taken in meanwhile is not taken in twice, also when
// nothing in it says that two of its records are one.
func TestImportTogether(t *testing.T) {
	h := open(t)
	undated := func() *vaulttest.Run {
		r := vaulttest.Drafts(h.Key.DID(), vaulttest.Batch+10)
		for i := range r.Records {
			r.Records[i].Time, r.Records[i].Kind = memory.Times{}, memory.Episodic
		}
		return r
	}
	other := openAt(t, h.Path)
	t.Cleanup(func() { _ = other.Store.Close() })
	other.Pass(time.Second)
	first := &slow{Run: undated(), at: vaulttest.Batch + 5, do: func() {
		vaulttest.WantCounts(t, other.MustTake(undated(), vault.ImportOptions{Digest: "d"}), vaulttest.Batch+10, 0)
	}}
	if r := h.MustTake(first, vault.ImportOptions{Digest: "d"}); !r.Known || r.Created != 0 || h.Count() != vaulttest.Batch+10 {
		t.Errorf("%+v, %d records", r, h.Count())
	}
}

// slow is a document during the reading of which something happens.
type slow struct {
	*vaulttest.Run
	at int
	do func()
}

func (s *slow) Next() (memory.Record, error) {
	if s.at--; s.at == 0 {
		s.do()
	}
	return s.Run.Next()
}

// What nothing but its file dates is the same in an older copy of the file.
func TestImportOlderCopy(t *testing.T) { onEach(t, testImportOlderCopy) }

func testImportOlderCopy(t *testing.T, open opener) {
	copied := func(hour int, texts ...string) func() *talks {
		return func() *talks {
			unit := []memory.Record{}
			for i, text := range texts {
				r := said("n", fmt.Sprint(i), text, hour)
				r.Kind, r.Time.Observed, r.Scope.Session = memory.Semantic, time.Time{}, ""
				unit = append(unit, r)
			}
			return &talks{todo: [][]memory.Record{unit}}
		}
	}
	h := open(t)
	vaulttest.WantCounts(t, h.both(copied(5, "Mara keeps bees", "Bread rises"), "1"), 2, 0)
	vaulttest.WantCounts(t, h.both(copied(3, "Mara keeps bees", "Bread rises"), "2"), 0, 2)
	r := h.both(copied(2, "Mara keeps bees", "Bread falls"), "3")
	if r.Created != 0 || r.Merged != 1 || r.Skipped != 1 {
		t.Errorf("%+v", r)
	}
}
