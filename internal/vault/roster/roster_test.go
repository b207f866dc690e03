package roster_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/roster"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func person(owner memory.DID) memory.Caller { return memory.Caller{Owner: owner, Role: memory.Owner} }

// populate admits owners and returns them in the order of their arrival.
func populate(t *testing.T, h *vaulttest.House, n int) (all []memory.DID) {
	t.Helper()
	for i := range n {
		key := vaulttest.Seeded(t, byte(100+i))
		if _, err := h.AddOwner(h.Ctx, person(h.Key.DID()), vault.AccountOrder{Key: key, Label: fmt.Sprint("owner ", i)}); err != nil {
			t.Fatal(err)
		}
		all = append(all, key.DID())
	}
	return all
}

// The pages of the list hold each owner who is in exactly once. Only the operator sees them.
func TestRoster(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		h := open(t)
		s, self := roster.New(h.Vault), person(h.Key.DID())
		all := populate(t, h, 5)
		if _, err := h.RemoveOwner(h.Ctx, self, all[2]); err != nil {
			t.Fatal(err)
		}
		var seen []memory.DID
		for after := memory.DID(""); ; {
			page, err := s.List(h.Ctx, self, after, 2)
			if err != nil || len(page.Owners) == 0 || len(page.Owners) > 2 {
				t.Fatalf("after %q: %+v, %v", after, page, err)
			}
			for _, o := range page.Owners {
				seen = append(seen, o.Owner)
			}
			if after = page.Next; after == "" {
				break
			}
		}
		if want := append([]memory.DID{h.Key.DID()}, all[0], all[1], all[3], all[4]); fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", seen, want)
		}
		for _, c := range []memory.Caller{person(all[0]), {Owner: h.Key.DID(), Role: memory.Agent}, {Owner: h.Key.DID(), Role: memory.Peer}, {}} {
			if page, err := s.List(h.Ctx, c, "", 9); err == nil || len(page.Owners) > 0 {
				t.Errorf("%+v lists owners", c)
			}
			for _, about := range []memory.DID{all[0], all[1], h.Key.DID()} {
				if _, err := s.Owner(h.Ctx, c, about); err == nil {
					t.Errorf("%+v asks about %s", c, about)
				}
				if _, err := s.Invite(h.Ctx, c, about); err == nil {
					t.Errorf("%+v invites %s", c, about)
				}
			}
		}
		for _, gone := range []memory.DID{all[2], "did:key:nobody", ""} {
			if _, err := s.Owner(h.Ctx, self, gone); memory.KindOf(err) != memory.NotFound {
				t.Errorf("%q: %v", gone, err)
			}
			if _, err := s.Invite(h.Ctx, self, gone); memory.KindOf(err) != memory.NotFound {
				t.Errorf("%q is invited: %v", gone, err)
			}
		}
	})
}

// An owner was seen when a browser or program of theirs was at work; what the operator does
// does not count.
func TestSeen(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		h := open(t)
		s, self := roster.New(h.Vault), person(h.Key.DID())
		ada := populate(t, h, 1)[0]
		h.Now = h.Now.Add(time.Hour)
		if err := h.SetQuota(h.Ctx, self, ada, store.Quota{Records: 9}); err != nil {
			t.Fatal(err)
		}
		if e, err := s.Owner(h.Ctx, self, ada); err != nil || !e.Seen.IsZero() || e.Label != "owner 0" || e.Quota.Records != 9 {
			t.Errorf("before anything: %+v, %v", e, err)
		}
		invitation, err := s.Invite(h.Ctx, self, ada)
		if err != nil || !invitation.Ends.Equal(h.Now.Add(visit.ForInvitation)) {
			t.Fatalf("%+v, %v", invitation, err)
		}
		h.Now = h.Now.Add(time.Hour)
		entered := h.Now
		if _, err := visit.New(h.Vault).Enter(h.Ctx, visit.Site{}, invitation.Secret, ""); err != nil {
			t.Fatal(err)
		}
		h.Now = h.Now.Add(time.Hour)
		if err := h.SetQuota(h.Ctx, self, ada, store.Quota{}); err != nil {
			t.Fatal(err)
		}
		if e, err := s.Owner(h.Ctx, self, ada); err != nil || !e.Seen.Equal(entered) {
			t.Errorf("seen %v, want %v; %v", e.Seen, entered, err)
		}
	})
}
