package vault_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// TestProjectMeant names projects by the last part of their names.
func TestProjectMeant(t *testing.T) {
	h := open(t)
	owner := string(h.Key.DID())
	remember := func(c memory.Caller, text, project string) string {
		t.Helper()
		said, err := h.Call(ump.OpRemember, c, `{"record":{"body":{"text":"`+text+`"},"scope":{"project":"`+project+`"}}}`)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := said["id"].(string)
		r := h.MustGet(memory.ID(id))
		vaulttest.Verified(t, r)
		return r.Scope.Project
	}
	asked := func(project string) memory.Query {
		return memory.Query{Text: "which build tool", Scope: memory.Scope{Project: project}}
	}
	if got := remember(h.Agent(), "The first build tool is make", "shop"); got != "shop" {
		t.Fatalf("a new project is %q", got)
	}
	h.Tell("The build tool is pnpm", `"scope":{"owner":"`+owner+`","project":"github.com/o/Till"}`)
	h.Tell("The build tool is cargo", `"scope":{"owner":"`+owner+`","project":"github.com/o/bank"}`)
	t.Run("UMP-2.2-1 one project fits", func(t *testing.T) {
		vaulttest.WantTexts(t, h.TextsFor(h.Agent(), asked("till")), "The build tool is pnpm")
		for _, name := range []string{"till", "o/till"} {
			if got := remember(h.Agent(), "The till opens at nine, says "+name, name); got != "github.com/o/Till" {
				t.Errorf("remembered of %q", got)
			}
		}
	})
	t.Run("UMP-2.2-1 a project of that very name comes first", func(t *testing.T) {
		h.Tell("The build tool is bazel", `"scope":{"owner":"`+owner+`","project":"github.com/o/shop"}`)
		vaulttest.WantTexts(t, h.TextsFor(h.Agent(), asked("shop")), "The first build tool is make")
	})
	t.Run("UMP-2.2-1 no project fits, or the name is whole", func(t *testing.T) {
		for _, name := range []string{"cellar", "p/till", "ithub.com/o/Till", "/o/till", "github.com/p/till"} {
			if got := remember(h.Agent(), "A note about "+name, name); got != name {
				t.Errorf("%s became %s", name, got)
			}
		}
	})
	t.Run("UMP-2.2-1 several fit: none is taken, all are named", func(t *testing.T) {
		h.Tell("The build tool is gradle", `"scope":{"owner":"`+owner+`","project":"github.com/p/bank"}`)
		for op, body := range map[ump.Operation]string{
			ump.OpRecall:   `{"query":"build tool","scope":{"project":"bank"}}`,
			ump.OpRemember: `{"record":{"body":{"text":"The bank is closed"},"scope":{"project":"bank"}}}`,
		} {
			_, err := h.Call(op, h.Agent(), body)
			vaulttest.WantKind(t, err, memory.InvalidRecord)
			if said := string(ump.ErrorEnvelope(err)); !strings.Contains(said, "github.com/o/bank, github.com/p/bank") {
				t.Errorf("%s: %s", op, said)
			}
		}
	})
	t.Run("UMP-5.2-1 a token's bearer does not learn which projects there are", func(t *testing.T) {
		if _, err := h.Call(ump.OpRecall, h.Peer(), `{"query":"build tool","scope":{"project":"bank"}}`); err != nil {
			t.Error(err)
		}
	})
}

// A short name of a project is understood in a patch and for a brief.
func TestShortProject(t *testing.T) {
	h := open(t)
	h.Tell("The shop sells tea", `"scope":{"project":"github.com/o/shop"}`)
	id := h.Tell("The shop opens at nine")
	v := h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"scope":{"project":"shop"}}}`)
	if rec := h.MustGet(memory.ID(v["id"].(string))); rec.Scope.Project != "github.com/o/shop" {
		t.Errorf("the project is %q", rec.Scope.Project)
	}
	brief, err := h.Brief(h.Ctx, h.Me(), vault.BriefQuery{Project: "shop"})
	if err != nil || !strings.Contains(brief.Text, "sells tea") {
		t.Errorf("%v: %s", err, brief.Text)
	}
}
