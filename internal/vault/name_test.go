package vault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// storing stores signed memories under IDs of the test's choice.
func (h *house) storing(reach memory.Visibility, ids ...string) {
	h.T.Helper()
	for _, id := range ids {
		h.Brings(h.Me(), vaulttest.SignedBy(h.T, h.Key, "memory "+id, func(r *memory.Record) {
			r.ID, r.Scope.Visibility = memory.ID(memory.IDPrefix+id), reach
		}))
	}
}

func TestFind(t *testing.T) { onEach(t, testFind) }

func testFind(t *testing.T, open opener) {
	h := open(t)
	h.storing(memory.Shared, "twins-one", "alone-in-its-beginning")
	h.storing(memory.Private, "twins-two", "twins")
	peer, _ := h.Bearer(vault.TokenOrder{})
	writer, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.WriteVerb}})
	tests := []struct {
		about  string
		caller memory.Caller
		name   string
		want   string // the ID, or the kind of refusal
	}{
		{"a whole ID", h.Me(), "urn:ump:twins-one", "urn:ump:twins-one"},
		{"a whole ID without its prefix", h.Me(), " twins-one ", "urn:ump:twins-one"},
		{"a whole ID that begins others", h.Me(), "twins", "urn:ump:twins"},
		{"a beginning", h.Me(), "alone-in", "urn:ump:alone-in-its-beginning"},
		{"a beginning with its prefix", h.Me(), "urn:ump:alone-in", "urn:ump:alone-in-its-beginning"},
		{"a beginning of two", h.Me(), "twins-", "invalid_record"},
		{"the owner's agent", h.Agent(), "alone-in", "urn:ump:alone-in-its-beginning"},
		{"nothing", h.Me(), "nothing-like-it", "not_found"},
		{"too short", h.Me(), "twi", "invalid_record"},
		{"empty", h.Me(), "urn:ump:", "invalid_record"},
		{"of two, one may be read", peer, "twins-", "urn:ump:twins-one"},
		{"a hidden ID that begins a shown one", peer, "twins", "urn:ump:twins-one"},
		{"hidden", peer, "twins-two", "not_found"},
		{"a beginning of what is hidden", peer, "twins-t", "not_found"},
		{"nobody who may not read", writer, "alone-in", "forbidden_scope"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			id, err := h.Find(h.Ctx, tt.caller, tt.name)
			got := string(id)
			if err != nil {
				got = string(memory.KindOf(err))
			}
			if got != tt.want {
				t.Errorf("%q means %s (%v), want %s", tt.name, got, err, tt.want)
			}
		})
	}
	_, err := h.Find(h.Ctx, h.Me(), "twins-")
	several, ok := errors.AsType[*memory.AmbiguousID](err)
	if !ok || len(several.Candidates) != 2 || several.Candidates[0].Body.Text != "memory twins-one" || several.More {
		t.Errorf("the candidates are %+v", several)
	}
}

func TestShortIDs(t *testing.T) { onEach(t, testShortIDs) }

func testShortIDs(t *testing.T, open opener) {
	h := open(t)
	h.storing(memory.Shared, "neighbours-1", "abcdefghijkl")
	h.storing(memory.Private, "neighbours-2", "bulk-0014-1")
	for i := range 40 {
		h.storing(memory.Private, fmt.Sprintf("bulk-%04d-0", i*7))
	}
	peer, _ := h.Bearer(vault.TokenOrder{})
	short := func(c memory.Caller, id memory.ID) string {
		t.Helper()
		all, err := h.ShortIDs(h.Ctx, c, []memory.ID{id})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := h.Find(h.Ctx, c, all[id]); err != nil || found != id {
			t.Errorf("%s means %s (%v), want %s", all[id], found, err, id)
		}
		return all[id]
	}
	for _, tt := range []struct {
		id   memory.ID
		want string
	}{
		{"urn:ump:abcdefghijkl", "abcdefgh"}, {"urn:ump:neighbours-1", "neighbours-1"},
		{"urn:ump:bulk-0014-0", "bulk-0014-0"}, {"urn:ump:bulk-0021-0", "bulk-0021"}, {"urn:ump:bulk-0273-0", "bulk-027"},
	} {
		if got := short(h.Me(), tt.id); got != tt.want {
			t.Errorf("%s is shortened to %s, want %s", tt.id, got, tt.want)
		}
	}
	together, err := h.ShortIDs(h.Ctx, h.Me(), []memory.ID{"urn:ump:bulk-0014-0", "urn:ump:bulk-0021-0"})
	if err != nil || together["urn:ump:bulk-0014-0"] != "bulk-0014-0" || together["urn:ump:bulk-0021-0"] != "bulk-0021" {
		t.Errorf("together they are shortened to %v (%v)", together, err)
	}
	if got := short(peer, "urn:ump:neighbours-1"); got != "neighbou" {
		t.Errorf("the short form %s tells a peer of a private memory beside it", got)
	}
}
