package notestore_test

import (
	"os"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// noted writes notes of an agent a: one that is proposed, one that is sealed, one of a run.
func noted(t *testing.T, h *vaulttest.House, s *notestore.Service) {
	t.Helper()
	rec := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "It is open."}, Provenance: &memory.Provenance{Actor: "a", ActorKind: memory.ByAgent, Method: "aaif", Source: &memory.Source{Ref: "r#open"}}}
	for _, d := range []notestore.Draft{
		{Note: notestore.Note{Name: notestore.Name{Agent: "a", Scope: "user", Key: "open"}, Text: rec.Body.Text, By: "r"}, Record: &rec},
		{Note: notestore.Note{Name: notestore.Name{Agent: "a", Scope: "user", Key: "sealed"}, Text: "It is sealed.", By: "r", Sealed: true}},
		{Note: notestore.Note{Name: notestore.Name{Agent: "a", Run: "r", Scope: "task", Key: "task"}, Text: "It is of the task.", By: "r"}},
	} {
		if _, err := s.Write(h.Ctx, h.Me(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// said lists what an agent remembers in a run.
func said(t *testing.T, h *vaulttest.House, c memory.Caller, s *notestore.Service) string {
	t.Helper()
	all, err := s.List(h.Ctx, c, "a", "r")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, n := range all {
		texts = append(texts, n.Text)
	}
	return strings.Join(texts, " ")
}

const everything = "It is open. It is sealed. It is of the task."

// rows counts the rows of notes of an owner.
func rows(t *testing.T, h *vaulttest.House) (n int) {
	t.Helper()
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		spaces, err := r.Spaces()
		for _, space := range spaces {
			if strings.HasPrefix(space, vault.NoteSpace) {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNotesOfOwners: notes go with their owner to another key, and away with the agent and with
// the owner.
func TestNotesOfOwners(t *testing.T) {
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		t.Run("a new key seals them anew", func(t *testing.T) {
			h := open(t)
			s := notestore.New(h.Vault)
			noted(t, h, s)
			to := vaulttest.Seeded(t, 8)
			h.More = append(h.More, to)
			if _, err := h.Rekey(h.Ctx, h.Me(), to, func(int) {}); err != nil {
				t.Fatal(err)
			}
			c := memory.Caller{Owner: to.DID(), Role: memory.Owner}
			if got := said(t, h, c, s); got != everything {
				t.Errorf("got %q", got)
			}
		})
		t.Run("nobody but the owner reads them", func(t *testing.T) {
			h := open(t)
			s := notestore.New(h.Vault)
			noted(t, h, s)
			if got := said(t, h, h.Me(), s); got != everything {
				t.Errorf("the owner reads %q", got)
			}
			for name, c := range map[string]memory.Caller{"an assistant": h.Agent(), "a token's bearer": h.Peer()} {
				if _, err := s.List(h.Ctx, c, "a", "r"); err == nil {
					t.Errorf("%s reads them", name)
				}
			}
			hits, err := h.Recall(h.Ctx, h.Agent(), memory.Query{Text: "open sealed task"})
			if err != nil || len(hits) != 0 {
				t.Errorf("an assistant finds %d, %v", len(hits), err)
			}
		})
		t.Run("they go with the agent, and with the owner", func(t *testing.T) {
			h := open(t)
			s := notestore.New(h.Vault)
			if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "one")); err != nil {
				t.Fatal(err)
			}
			noted(t, h, s)
			if _, err := h.RemoveAgent(h.Ctx, h.Me(), "a"); err != nil {
				t.Fatal(err)
			}
			if got := said(t, h, h.Me(), s); strings.Contains(got, "open") || strings.Contains(got, "sealed") {
				t.Errorf("left is %q", got)
			}
			noted(t, h, s)
			if _, err := h.EraseOwner(h.Ctx, h.Me()); err != nil || rows(t, h) != 0 {
				t.Errorf("%d spaces are left, %v", rows(t, h), err)
			}
		})
		t.Run("a request that is repeated writes once", func(t *testing.T) {
			h := open(t)
			s := notestore.New(h.Vault)
			for i := range 3 {
				d := notestore.Draft{Note: notestore.Note{Name: notestore.Name{Agent: "a", Scope: "user", Key: strings.Repeat("k", i+1)}, Text: "x"}, Once: "same"}
				if _, err := s.Write(h.Ctx, h.Me(), d); err != nil {
					t.Fatal(err)
				}
			}
			if got := said(t, h, h.Me(), s); got != "x" {
				t.Errorf("a repeated request writes again: %q", got)
			}
		})
	})
}
