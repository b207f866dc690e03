package server_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/takeback"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

// Every page says how much waits, as it is after each change of this program or of another.
func TestPagesSayHowMuchWaits(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b, list := h.browser(t), waiting.New(h.vault)
	says := func(what, want string) {
		t.Helper()
		for range 2 { // counted, and remembered
			if page := b.shows(t, "/me/help"); !strings.Contains(page, `<a href="/me/waiting">Waiting<span data-waits>`+want+`</span>`) {
				_, at, _ := strings.Cut(page, "Waiting")
				t.Errorf("%s: %.60s, want %q", what, at, want)
			}
		}
	}
	says("nothing", "")
	var found []memory.Record
	for _, text := range []string{"The harbour opens at seven.", "The parrot is green.", "Ana rows on Sundays."} {
		found = append(found, memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Provenance: &memory.Provenance{Actor: vault.Found, ActorKind: memory.ByScan, Method: vault.Found}})
	}
	if _, err := h.vault.Suggest(t.Context(), h.self(), found, false); err != nil {
		t.Fatal(err)
	}
	says("three facts", " (3)")
	waits, err := list.List(t.Context(), h.self(), false)
	if err != nil || len(waits) != 3 {
		t.Fatal(len(waits), err)
	}
	undo, err := list.DecideAll(t.Context(), h.self(), []string{waits[0].ID}, true, "")
	if err != nil {
		t.Fatal(err)
	}
	says("one is confirmed", " (2)")
	if _, err := list.DecideAll(t.Context(), h.self(), []string{waits[1].ID}, false, ""); err != nil {
		t.Fatal(err)
	}
	says("one is rejected", " (1)")
	if _, err := takeback.New(h.vault).Undo(t.Context(), h.self(), undo); err != nil {
		t.Fatal(err)
	}
	says("the first waits again", " (2)")
	beliefs, assistant := belief.Of(h.vault), memory.Caller{Owner: h.owner, Role: memory.Agent, Agent: "notes"}
	if _, err := beliefs.ProposeConstraint(t.Context(), assistant, engram.Constraint{Rule: "Never use emoji.", Category: "content"}); err != nil {
		t.Fatal(err)
	}
	says("a rule", " (3)")
}
