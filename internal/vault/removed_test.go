package vault_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// naming returns, sorted, the tables that hold rows of an owner, and in brackets those
// whose rows of others name the owner.
func (h *house) naming(owner memory.DID) (found []string) {
	h.T.Helper()
	sum := sha256.Sum256([]byte(owner))
	number := hex.EncodeToString(sum[:16])
	names := "position('" + hex.EncodeToString([]byte(owner)) + "' IN x::text) + position('" + string(owner) + "' IN x::text)"
	for _, table := range pgtest.Query(h.T, h.URL, `SELECT tablename::text FROM pg_tables WHERE schemaname = 'satchel' AND tablename NOT LIKE 'goose%'`) {
		theirs := "false"
		if table != "schema_version" {
			theirs = "x.owner = '" + number + "'"
		}
		found = append(found, pgtest.Query(h.T, h.URL, `SELECT DISTINCT CASE WHEN `+theirs+` THEN '`+table+`' ELSE '(`+table+`)' END
			FROM satchel.`+table+` AS x WHERE `+theirs+` OR `+names+` > 0`)...)
	}
	slices.Sort(found)
	return found
}

// TestRemovedAreGone looks in all tables for an owner who was removed: until the
// operator scrubs the store there is what docs/operate.md lists, and then only the
// operator's own log.
func TestRemovedAreGone(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open.shared(t)
		if h.URL == "" {
			t.Skip("a store in a file keeps the row and the audit log")
		}
		ada, bob := vaulttest.Seeded(t, 21), vaulttest.Seeded(t, 22)
		h.Add(ada, store.Quota{})
		h.Order(vault.AccountOrder{Public: bob.DID(), Label: "bob"})
		s := h.server()
		c := s.Admitted(ada)
		if _, err := s.Says(c, "a canary named Quince"); err != nil {
			t.Fatal(err)
		}
		if err := h.Store.Update(h.Ctx, ada.DID(), func(w store.Writer) error { return w.SetGrant(store.Grant{ID: "some-token"}) }); err != nil {
			t.Fatal(err)
		}
		if _, err := h.RemoveOwner(h.Ctx, h.Me(), ada.DID()); err != nil {
			t.Fatal(err)
		}
		want := []string{"(audit)", "audit", "audit_hashes", "audit_heads", "changes", "grants", "owners"}
		if got := h.naming(ada.DID()); !slices.Equal(got, want) {
			t.Errorf("after the removal %q name the owner, want %q", got, want)
		}
		if _, err := h.RemoveOwner(h.Ctx, h.Me(), bob.DID()); err != nil {
			t.Fatal(err)
		}
		h.Order(vault.AccountOrder{Public: bob.DID(), Label: "bob"}) // is back
		if err := postgres.Scrub(context.Background(), h.URL, postgres.Options{Seal: h.Seal}); err != nil {
			t.Fatal(err)
		}
		if got := h.naming(ada.DID()); !slices.Equal(got, []string{"(audit)"}) {
			t.Errorf("after the scrub %q name the owner", got)
		}
		if got := h.naming(bob.DID()); !slices.Contains(got, "owners") {
			t.Errorf("an owner who was let in again is in %q alone", got)
		}
		if owed, err := h.Store.(store.Compacter).Owed(h.Ctx); err != nil || owed {
			t.Errorf("a scrub is still owed: %v, %v", owed, err)
		}
		h.Healthy()
		h.Add(ada, store.Quota{}) // may come back
		h.Healthy()
	})
}
