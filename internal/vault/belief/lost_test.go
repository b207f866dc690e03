package belief_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
)

// TestLostWhileGoverning: no act on beliefs takes what the store could not be asked for
// something that is not there.
func TestLostWhileGoverning(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	b := h.states(engram.Communication, "email_style", "short and direct")
	h.states(engram.Health, "ferry", "at nine")
	h.Pass(time.Minute)
	k := h.proposes(b, "longer")
	other := h.proposes(b, "longest")
	for name, do := range map[string]func(v *vault.Vault) error{
		"context": func(v *vault.Vault) error {
			view, err := belief.Of(v).Context(h.Ctx, h.Me(), engram.Query{})
			if err == nil && len(view.Beliefs) < 2 {
				t.Errorf("%+v", view.Beliefs)
			}
			return err
		},
		"diff": func(v *vault.Vault) error {
			_, err := belief.Of(v).Diff(h.Ctx, h.Me(), engram.Query{}, h.Now.Add(-time.Hour))
			return err
		},
		"corrections": func(v *vault.Vault) error { _, err := belief.Of(v).Corrections(h.Ctx, h.Me(), false); return err },
		"constraints": func(v *vault.Vault) error { _, err := belief.Of(v).Constraints(h.Ctx, h.Me(), false); return err },
		"propose": func(v *vault.Vault) error {
			_, err := belief.Of(v).Propose(h.Ctx, h.assistant(engram.Full), h.proposal(b, "terse"))
			return err
		},
		"correct": func(v *vault.Vault) error {
			_, err := belief.Of(v).Correct(h.Ctx, h.Me(), b.ID, "terse", "")
			return err
		},
		"confirm": func(v *vault.Vault) error { _, err := belief.Of(v).Confirm(h.Ctx, h.Me(), b.ID); return err },
		"archive": func(v *vault.Vault) error { _, err := belief.Of(v).Archive(h.Ctx, h.Me(), b.ID); return err },
		"believe": func(v *vault.Vault) error {
			_, err := belief.Of(v).Believe(h.Ctx, h.Me(), engram.Belief{Category: engram.Health, Key: "tea", Text: "green"}, false)
			return err
		},
		"identify": func(v *vault.Vault) error {
			_, err := belief.Of(v).Identify(h.Ctx, h.Me(), engram.Identity{DisplayName: "Ada", Timezone: "UTC"})
			return err
		},
		"constrain": func(v *vault.Vault) error {
			_, err := belief.Of(v).Constrain(h.Ctx, h.Me(), engram.Constraint{Rule: "Never graft"})
			return err
		},
		"confirm a proposal": func(v *vault.Vault) error { _, err := belief.Of(v).Resolve(h.Ctx, h.Me(), k.ID, true, ""); return err },
		"reject a proposal": func(v *vault.Vault) error {
			_, err := belief.Of(v).Resolve(h.Ctx, h.Me(), other.ID, false, "")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { h.EachLost(t, do) })
	}
	h.Pass(time.Minute)
	h.EachLost(t, func(v *vault.Vault) error { _, err := belief.Of(v).Delete(h.Ctx, h.Me(), b.ID); return err })
	if _, err := h.Confirm(h.Ctx, h.Me(), b.ID); !errors.As(err, new(*engram.Fault)) {
		t.Errorf("it is still there: %v", err)
	}
}
