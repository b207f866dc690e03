package agents_test

import (
	"context"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

func TestOwners(t *testing.T) {
	ctx, bob := context.Background(), seeded(t, 40)
	for name, opening := range stores {
		t.Run("AAIF-8.2-8 a token serves one owner of a platform and no other "+name, func(t *testing.T) {
			s := sending(t, over(t, opening))
			both := func(did memory.DID) (keys.Private, bool) {
				if did == bob.DID() {
					return bob, true
				}
				return s.holds(did)
			}
			v, service := s.over(s.store, both)
			other := memory.Caller{Owner: bob.DID(), Role: memory.Owner}
			if err := trust.New(v).TrustProducer(ctx, other, "elsewhere", []aimem.Key{aimem.PublicKey(s.key)}); err != nil {
				t.Fatal(err)
			}
			if _, err := service.Intake(ctx, other, []byte(definition()), aaif.IntakeOptions{}); err != nil {
				t.Fatal(err)
			}
			state := s.ready()
			if _, err := s.receive(state); err != nil {
				t.Fatal(err)
			}
			if _, err := service.Receive(ctx, other, state); aaif.CodeOf(err) != aaif.TokenReplayed {
				t.Errorf("to a second owner: %v", err)
			}
			state = s.sealed(s.checkpoint().With("state_id", canon.String("7a1d8f10-93a1-4c0f-8f54-0d5d0f3b0002")), s.key)
			if _, err := service.Receive(ctx, other, state); err != nil {
				t.Fatal(err)
			}
			s.turnsAway(state, aaif.TokenReplayed)
		})
		t.Run("AAIF-8.2-8 a state that does not land leaves its token good "+name, func(t *testing.T) {
			s := sending(t, over(t, opening))
			v, service := s.over(s.store, func(did memory.DID) (keys.Private, bool) { return bob, did == bob.DID() })
			other := memory.Caller{Owner: bob.DID(), Role: memory.Owner}
			if err := trust.New(v).TrustProducer(ctx, other, "elsewhere", []aimem.Key{aimem.PublicKey(s.key)}); err != nil {
				t.Fatal(err)
			}
			if _, err := service.Intake(ctx, other, []byte(definition()), aaif.IntakeOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := service.Receive(ctx, other, s.ready()); err != nil {
				t.Fatal(err)
			}
			state := s.sealed(s.checkpoint().With("iteration", canon.Int(9)), s.key) // the same id, another state
			for range 2 {
				if _, err := service.Receive(ctx, other, state); aaif.CodeOf(err) != aaif.TokenBinding {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}
