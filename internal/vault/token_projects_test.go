package vault_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// A token for several projects reaches them, and no others; what belongs to none is reached
// if the token says so.
func TestTokenOfProjects(t *testing.T) { onEach(t, testTokenOfProjects) }

func testTokenOfProjects(t *testing.T, open opener) {
	h := open(t)
	in := func(project, text string) memory.ID {
		return h.Tell(text, `"scope":{"visibility":"shared","project":"`+project+`"}`)
	}
	in(projectX, "the tower is of brick")
	in(projectY, "the tower is of stone")
	other := in("github.com/o/z", "the tower is of glass")
	h.Tell("the tower is tall", `"scope":{"visibility":"shared"}`)
	if err := h.AliasProject(h.Ctx, h.Me(), "old/y", projectY); err != nil {
		t.Fatal(err)
	}
	in("old/y", "the tower is of old stone")

	verbs := []memory.Verb{memory.ReadVerb, memory.WriteVerb, memory.ExportVerb}
	two, _ := h.Bearer(vault.TokenOrder{Verbs: verbs, Projects: []string{projectX, projectY}})
	some, _ := h.Bearer(vault.TokenOrder{Verbs: verbs, Projects: []string{"", projectX}})
	tower := memory.Query{Text: "tower"}
	ofTwo := []string{"the tower is of brick", "the tower is of stone", "the tower is of old stone"}

	t.Run("UMP-5.2-1 it reads what is in them", func(t *testing.T) {
		vaulttest.WantSet(t, h.TextsFor(two, tower), ofTwo...)
		vaulttest.WantSet(t, h.TextsFor(some, tower), "the tower is of brick", "the tower is tall")
		asked := tower
		asked.Scope.Project = projectX
		vaulttest.WantSet(t, h.TextsFor(two, asked), "the tower is of brick")
		b, err := h.Brief(h.Ctx, two, vault.BriefQuery{Project: projectX})
		if err != nil || strings.Contains(b.Text, "glass") || strings.Contains(b.Text, "tall") || !strings.Contains(b.Text, "brick") {
			t.Errorf("%v: %s", err, b.Text)
		}
		var texts []string
		if _, err := h.Export(h.Ctx, two, vault.ExportQuery{}, func(r memory.Record) error { texts = append(texts, r.Body.Text); return nil }); err != nil {
			t.Fatal(err)
		}
		vaulttest.WantSet(t, texts, ofTwo...)
	})
	t.Run("UMP-5.2-1 another project is forbidden", func(t *testing.T) {
		asked := tower
		asked.Scope.Project = "github.com/o/z"
		_, err := h.Recall(h.Ctx, two, asked)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.Get(h.Ctx, two, other, memory.CurrentView)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.Call(ump.OpRevise, two, `{"id":"`+string(other)+`","patch":{"body":{"text":"x"}}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, _, err = h.Changes(h.Ctx, two, memory.Subscription{Project: "github.com/o/z"})
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("UMP-5.2-1 what it remembers says in which", func(t *testing.T) {
		remembers := func(c memory.Caller, text, scope string) error {
			_, err := h.Call(ump.OpRemember, c, `{"kind":"semantic","body":{"text":"`+text+`"}`+scope+`}`)
			return err
		}
		err := remembers(two, "the bell is loud", "")
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		if !strings.Contains(err.Error(), projectX+", "+projectY) {
			t.Errorf("it does not say which there are: %v", err)
		}
		vaulttest.WantKind(t, remembers(two, "the bell is loud", `,"scope":{"project":"github.com/o/z"}`), memory.ForbiddenScope)
		if err := remembers(two, "the bell is loud", `,"scope":{"project":"`+projectY+`"}`); err != nil {
			t.Error(err)
		}
		if err := remembers(some, "the bell is cracked", ""); err != nil {
			t.Error(err)
		}
		vaulttest.WantSet(t, h.TextsFor(h.Me(), memory.Query{Text: "bell"}), "the bell is loud", "the bell is cracked")
	})
	t.Run("UMP-3.8-3 it hears of what is in them, and what was", func(t *testing.T) {
		gone := []memory.ID{in(projectX, "gone from x"), in("github.com/o/z", "gone from z")}
		for _, id := range gone {
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.OtherReason, Hard: true}); err != nil {
				t.Fatal(err)
			}
		}
		heard := h.follow(two, memory.Subscription{})
		for i, want := range []bool{true, false} {
			if got := slices.ContainsFunc(heard, func(e memory.Event) bool { return e.ID == gone[i] }); got != want {
				t.Errorf("of %d it hears: %v", i, got)
			}
		}
		if texts := told(heard); slices.Contains(texts, "created the tower is of glass") || !slices.Contains(texts, "created the tower is of stone") {
			t.Errorf("%q", texts)
		}
	})
	t.Run("one project is written as every server reads it, and no order says both", func(t *testing.T) {
		_, token := h.Bearer(vault.TokenOrder{Projects: []string{projectX}})
		if c, err := ump.ReadToken(token); err != nil || c.Scope.Project != projectX || c.Projects != nil {
			t.Errorf("%+v, %v", c, err)
		}
		for _, o := range []vault.TokenOrder{{Project: projectX, Projects: []string{projectX, projectY}}, {Projects: []string{projectX, projectX}}, {Projects: make([]string, 33)}} {
			o.Verbs, o.Expires = verbs, h.Now.Add(1e12)
			_, _, err := h.MintToken(h.Ctx, h.Me(), o)
			vaulttest.WantKind(t, err, memory.InvalidRecord)
		}
	})
}
