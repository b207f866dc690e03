package server_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

func TestContextsOfOwners(t *testing.T) {
	t.Parallel()
	h, _, _ := hosting(t, server.Options{})
	home, ada := memory.Caller{Owner: h.owner, Role: memory.Owner}, seeded(t, 8)
	if _, err := h.vault.AddOwner(t.Context(), home, vault.AccountOrder{Key: ada, Label: "Ada"}); err != nil {
		t.Fatal(err)
	}
	of := func(owner memory.DID) string {
		token, _, err := h.vault.MintToken(t.Context(), memory.Caller{Owner: owner, Role: memory.Owner}, vault.TokenOrder{
			Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Runtime: &memory.Runtime{Name: "all", Scope: "full"}, Expires: time.Now().Add(time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		return "Authorization: Bearer " + token
	}
	hers, his := of(ada.DID()), of(h.owner)
	t.Run("ENGRAM-3.2-23 ENGRAM-3.2-17 a token opens the context of one subject", func(t *testing.T) {
		for _, query := range []string{"", "?scope=minimal", "?scope=full", "?categories=health"} {
			a, b := h.do(t, "GET", "/v1/context"+query, "", his), h.do(t, "GET", "/v1/context"+query, "", hers)
			one, other := h.document(t, a), h.document(t, b)
			if one.Subject.ID == other.Subject.ID || other.Subject.ID != engram.SubjectID(ada.DID()) || len(one.Beliefs) == 0 || len(other.Beliefs) > 0 {
				t.Errorf("%s: %s\n%s", query, a.body, b.body)
			}
		}
		if a := h.do(t, "GET", "/v1/context/diff?since=2026-01-01T00:00:00Z", "", hers); bytes.Contains(a.body, []byte("mails")) {
			t.Errorf("%s", a.body)
		}
	})
	t.Run("ENGRAM-3.9-ERR-5 ENGRAM-3.9-CTX-5 E-44 the token of somebody of whom nothing is kept", func(t *testing.T) {
		if _, err := h.vault.RemoveOwner(t.Context(), home, ada.DID()); err != nil {
			t.Fatal(err)
		}
		h.do(t, "GET", "/v1/context", "", hers).fault(t, 404, engram.UserNotFound)
		h.do(t, "GET", "/v1/context/diff?since=2026-01-01T00:00:00Z", "", hers).fault(t, 404, engram.UserNotFound)
		h.do(t, "POST", "/v1/context/correct", `{}`, hers, asJSON).fault(t, 404, engram.UserNotFound)
		h.do(t, "GET", "/v1/context", "", hers+"x").fault(t, 401, engram.Unauthorized)
		if a := h.do(t, "GET", "/ump/capabilities", "", hers); a.StatusCode != 401 {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
}
