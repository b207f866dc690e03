package belief_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestResolveOfNative(t *testing.T) { onEach(t, testResolveOfNative) }

// testResolveOfNative proposes for what an agent remembered, which knows nothing of
// Engram.
func testResolveOfNative(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell("Use pnpm, never npm, in this repo.", `"scope":{"project":"github.com/example/project"}`)
	b := engram.Belief{ID: engram.IDFrom("engram-ump:" + string(id))}
	k := h.proposes(b, "Use bun in this repo.")
	h.Pass(time.Minute)
	if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	view := h.context(h.Me(), engram.Query{})
	got, ok := beliefOf(view, b.ID)
	if !ok || got.Text != "In github.com/example/project: Use bun in this repo." || len(view.Beliefs) != 1 || len(view.Evolution) != 1 {
		t.Errorf("%+v", view.Memory)
	}
	texts := h.Texts(memory.Query{Text: "bun repo", Scope: memory.Scope{Project: "github.com/example/project"}})
	if len(texts) != 1 || !strings.Contains(texts[0], "Use bun in this repo.") {
		t.Errorf("%q", texts)
	}
	t.Run("a proposal that came over UMP is resolved the same", func(t *testing.T) {
		current := h.versionNow(id)
		if _, err := h.Says(h.Agent(), "Use deno in this repo.", `"lifecycle":{"status":"candidate"}`, `"relations":[{"type":"contradicts","target":"`+string(current)+`"}]`); err != nil {
			t.Fatal(err)
		}
		list := h.waiting()
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		h.Pass(time.Minute)
		if done, err := h.Resolve(h.Ctx, h.Me(), list[0].ID, false, ""); err != nil || done.Status != engram.Rejected {
			t.Errorf("%+v, %v", done, err)
		}
		if view := h.context(h.Me(), engram.Query{}); len(view.Beliefs) != 1 || len(h.waiting()) != 0 {
			t.Errorf("%+v", view.Beliefs)
		}
	})
	h.Healthy()
}

func TestProposeForRedacted(t *testing.T) { onEach(t, testProposeForRedacted) }

// testProposeForRedacted proposes for a belief of which others get less than the owner
// has.
func testProposeForRedacted(t *testing.T, open opener) {
	h := open(t)
	h.believes(engram.Belief{ID: engram.IDFrom("secret id"), Category: engram.Communication, Key: "phone", Text: "by day"}, `"consent":{"redact":["body.structured"]}`)
	view := h.context(h.assistant(engram.Full), engram.Query{})
	if len(view.Beliefs) != 1 {
		t.Fatalf("%+v", view.Beliefs)
	}
	k := h.proposes(view.Beliefs[0], "by night")
	if k.Belief != view.Beliefs[0].ID {
		t.Errorf("%+v", k)
	}
	t.Run("ENGRAM-3.9-CORR-9 the owner sees all of it, and confirms", func(t *testing.T) {
		list := h.waiting()
		if len(list) != 1 || list[0].Now != "by day" || list[0].Key != "phone" || list[0].ID != k.ID {
			t.Fatalf("%+v", list)
		}
		h.Pass(time.Minute)
		if done, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, ""); err != nil || done.Now != "by night" {
			t.Errorf("%+v, %v", done, err)
		}
		if texts := h.Texts(memory.Query{Text: "phone"}); len(texts) != 1 || !strings.Contains(texts[0], "by night") {
			t.Errorf("%q", texts)
		}
	})
	h.Healthy()
}

func TestConfirmOverUMP(t *testing.T) { onEach(t, testConfirmOverUMP) }

// testConfirmOverUMP lets the owner confirm by revising the candidate.
func testConfirmOverUMP(t *testing.T, open opener) {
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short and direct")
	candidate := func(value string) memory.ID {
		h.Pass(time.Minute)
		h.proposes(b, value)
		page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Statuses: []memory.Status{memory.Candidate}})
		if err != nil || len(page.Records) != 1 {
			t.Fatal(page.Records, err)
		}
		h.Pass(time.Minute)
		return page.Records[0].ID
	}
	t.Run("ENGRAM-3.9-CORR-21 an agent cannot", func(t *testing.T) {
		_, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+string(candidate("longer"))+`","patch":{"lifecycle":{"status":"active"}}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		if _, err := h.Resolve(h.Ctx, h.Me(), h.waiting()[0].ID, false, ""); err != nil {
			t.Fatal(err)
		}
	})
	for _, test := range []struct{ value, patch, want string }{
		{"longer for investors", `{"lifecycle":{"status":"active"}}`, "longer for investors"},
		{"longer again", `{"lifecycle":{"status":"active"},"body":{"text":"email_style: longer, but not too long"}}`, "longer, but not too long"},
	} {
		t.Run("ENGRAM-3.9-CORR-12 Engram tells it as if it was confirmed there", func(t *testing.T) {
			before := h.context(h.Me(), engram.Query{})
			h.Change(candidate(test.value), test.patch)
			view := h.context(h.Me(), engram.Query{})
			got, _ := beliefOf(view, b.ID)
			if got.Text != test.want || got.Source != engram.Corrected || len(view.Beliefs) != 1 || len(view.Evolution) != len(before.Evolution)+1 || len(view.Corrections) != len(before.Corrections)+2 || len(h.waiting()) != 0 {
				t.Errorf("%+v, waiting %+v", view.Memory, h.waiting())
			}
			for name, text := range h.Everywhere() {
				if !strings.Contains(text, test.want) {
					t.Errorf("%s tells: %s", name, text)
				}
			}
		})
	}
	h.Healthy()
}

// versionNow is the newest version of the belief that a record belongs to.
func (h *house) versionNow(id memory.ID) memory.ID {
	h.T.Helper()
	versions, err := h.History(h.Ctx, h.Me(), id)
	if err != nil {
		h.T.Fatal(err)
	}
	i := slices.IndexFunc(versions, func(r memory.Record) bool { return len(r.SupersededBy) == 0 })
	return versions[i].ID
}
