package assistant_test

import (
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/memory"
)

// The owner sees what the bearer of a token and a program would be given, and nothing says
// that they were.
func TestPreview(t *testing.T) {
	onEach(t, func(t *testing.T, h house) {
		h.Tell("likes pears")
		shared := h.Tell("likes plums", `"scope":{"visibility":"shared"}`)
		mint := func(verbs ...memory.Verb) (string, string) {
			token, g, err := h.MintToken(h.Ctx, h.Me(), vault.TokenOrder{Verbs: verbs, Expires: h.Now.Add(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			return token, g.ID
		}
		token, id := mint(memory.ReadVerb)
		_, writes := mint(memory.WriteVerb)
		size := func() int {
			h.Flush(h.Ctx)
			entries, err := h.Audit(h.Ctx, h.Me(), 0, 99)
			if err != nil {
				t.Fatal(err)
			}
			return len(entries) + len(h.journal(t, assistant.Query{}))
		}
		before, q := size(), memory.Query{Text: "what fruit is liked?"}
		preview := func(as assistant.Asker) ([]memory.ID, error) {
			hits, _, err := h.Preview(h.Ctx, h.Me(), as, q)
			var ids []memory.ID
			for _, hit := range hits {
				ids = append(ids, hit.Record.ID)
			}
			return ids, err
		}
		if got, err := preview(assistant.Asker{Token: id}); err != nil || !slices.Equal(got, []memory.ID{shared}) {
			t.Errorf("as the token: %q, %v", got, err)
		}
		if got, err := preview(assistant.Asker{Host: "claude-code"}); err != nil || len(got) != 2 {
			t.Errorf("as the program: %q, %v", got, err)
		}
		if _, err := preview(assistant.Asker{Token: writes}); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("as one that may not read: %v", err)
		}
		if _, err := preview(assistant.Asker{Token: "nothing"}); memory.KindOf(err) != memory.NotFound {
			t.Errorf("as an unknown one: %v", err)
		}
		if after := size(); after != before {
			t.Errorf("%d notes more", after-before)
		}
		c, err := h.Admit(h.Ctx, token)
		if err != nil {
			t.Fatal(err)
		}
		h.ask(t, c, q.Text, "")
		if after := size(); after <= before {
			t.Error("its own question leaves no note") // else the test above shows nothing
		}
		if err := h.RevokeToken(h.Ctx, h.Me(), id); err != nil {
			t.Fatal(err)
		}
		if _, err := preview(assistant.Asker{Token: id}); memory.KindOf(err) != memory.Unauthorized {
			t.Errorf("revoked: %v", err)
		}
		if err := h.Pause(h.Ctx, h.Me(), "claude-code"); err != nil {
			t.Fatal(err)
		}
		if _, err := preview(assistant.Asker{Host: "Claude Code"}); memory.KindOf(err) != memory.ForbiddenScope {
			t.Errorf("paused: %v", err)
		}
		for _, c := range []memory.Caller{h.Agent(), h.Peer(), {Owner: h.Key.DID()}} {
			if _, _, err := h.Preview(h.Ctx, c, assistant.Asker{Host: "x"}, q); err == nil {
				t.Errorf("%v sees what others are given", c.Role)
			}
		}
	})
}
