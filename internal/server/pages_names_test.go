package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/memory"
)

// An assistant cannot take the place of a token by its name: each has its own page with its
// readings, and the assistant can be paused and asked for like any other.
func TestPagesOfAnAssistantNamedAsAToken(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b := guest{h, h.letIn(t)}
	h.remember(t, "Ana likes quinces.")
	bearer, id := h.mint(t, vault.TokenOrder{Name: "Printer", Verbs: []memory.Verb{memory.ReadVerb}, Expires: time.Now().Add(time.Hour)})
	if said, failed := h.recalls(t, bearer, "who likes quinces?"); failed {
		t.Fatal(said)
	}
	names := []string{"token-" + id, "token:" + id, "token-x"}
	for _, name := range names {
		c := memory.Caller{Owner: h.owner, Role: memory.Agent, Agent: name}
		if _, err := h.vault.Recall(t.Context(), c, memory.Query{Text: "who likes quinces?"}); err != nil {
			t.Fatal(err)
		}
	}
	h.vault.Flush(t.Context())
	list := b.see(t, "/me/assistants")
	holder := "/me/assistants/token:" + id
	if n := strings.Count(list, `href="`+holder+`"`); n != 1 || strings.Count(list, ">has a token<") != 1 {
		t.Errorf("the token has %d lines: %s", n, list)
	}
	if page := b.see(t, holder); !strings.Contains(page, "satchel token revoke "+id) || !strings.Contains(page, "Printer") || !strings.Contains(page, "read 1 memory in 1 answer") {
		t.Errorf("%s", page)
	}
	for _, name := range names {
		folded := assistant.Fold(name)
		at := "/me/assistants/" + folded
		if !strings.Contains(list, `href="`+at+`"`) {
			t.Errorf("%s is not in the list: %s", name, list)
			continue
		}
		if page := b.see(t, at); !strings.Contains(page, "Ana likes quinces.") || !strings.Contains(page, "satchel pause "+folded) {
			t.Errorf("%s", page)
		}
		if page := b.see(t, "/me/search?q=who+likes+quinces%3F&as="+folded); !strings.Contains(page, "It is given all that you are given") {
			t.Errorf("a search as %s: %s", name, page)
		}
	}
	for _, name := range names[1:] {
		if got := b.send(t, "/me/assistants/"+assistant.Fold(name)+"/pause", ""); got.StatusCode != 303 {
			t.Errorf("pause %s: %d %s", name, got.StatusCode, got.body)
		}
		err := assistant.New(h.vault).AdmitHost(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Agent, Agent: name})
		if memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("%s is paused, and gets %v", name, err)
		}
	}
	if said, failed := h.recalls(t, bearer, "who likes quinces?"); failed {
		t.Errorf("the token pays for the pause: %s", said)
	}
	if page := b.see(t, "/me/search?q=quinces&as=token:"+id); !strings.Contains(page, "Printer") || !strings.Contains(page, "Ana likes") {
		t.Errorf("a search as the token: %s", page)
	}
}
