package vault_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
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
			view, err := v.Context(h.Ctx, h.Me(), engram.Query{})
			if err == nil && len(view.Beliefs) < 2 {
				t.Errorf("%+v", view.Beliefs)
			}
			return err
		},
		"diff": func(v *vault.Vault) error {
			_, err := v.Diff(h.Ctx, h.Me(), engram.Query{}, h.Now.Add(-time.Hour))
			return err
		},
		"corrections": func(v *vault.Vault) error { _, err := v.Corrections(h.Ctx, h.Me(), false); return err },
		"constraints": func(v *vault.Vault) error { _, err := v.Constraints(h.Ctx, h.Me(), false); return err },
		"propose": func(v *vault.Vault) error {
			_, err := v.Propose(h.Ctx, h.assistant(engram.Full), h.proposal(b, "terse"))
			return err
		},
		"correct": func(v *vault.Vault) error { _, err := v.Correct(h.Ctx, h.Me(), b.ID, "terse", ""); return err },
		"confirm": func(v *vault.Vault) error { _, err := v.Confirm(h.Ctx, h.Me(), b.ID); return err },
		"archive": func(v *vault.Vault) error { _, err := v.Archive(h.Ctx, h.Me(), b.ID); return err },
		"believe": func(v *vault.Vault) error {
			_, err := v.Believe(h.Ctx, h.Me(), engram.Belief{Category: engram.Health, Key: "tea", Text: "green"}, false)
			return err
		},
		"identify": func(v *vault.Vault) error {
			_, err := v.Identify(h.Ctx, h.Me(), engram.Identity{DisplayName: "Ada", Timezone: "UTC"})
			return err
		},
		"constrain": func(v *vault.Vault) error {
			_, err := v.Constrain(h.Ctx, h.Me(), engram.Constraint{Rule: "Never graft"})
			return err
		},
		"confirm a proposal": func(v *vault.Vault) error { _, err := v.Resolve(h.Ctx, h.Me(), k.ID, true, ""); return err },
		"reject a proposal":  func(v *vault.Vault) error { _, err := v.Resolve(h.Ctx, h.Me(), other.ID, false, ""); return err },
	} {
		t.Run(name, func(t *testing.T) { h.eachLost(t, do) })
	}
	h.Pass(time.Minute)
	h.eachLost(t, func(v *vault.Vault) error { _, err := v.Delete(h.Ctx, h.Me(), b.ID); return err })
	if _, err := h.Confirm(h.Ctx, h.Me(), b.ID); !errors.As(err, new(*engram.Fault)) {
		t.Errorf("it is still there: %v", err)
	}
}
