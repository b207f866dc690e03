package agents

import (
	"context"
	"crypto/ed25519"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// remembered is how long a spent token is remembered after it has expired: longer
// than clocks may differ (decision R7).
const remembered = 2 * time.Minute

// Admit verifies a migration token before its state arrives (AAIF-8.2-4, AAIF-8.3-6).
func (s *Service) Admit(ctx context.Context, c memory.Caller, token string, b aaif.Binding) error {
	if err := s.store.MayKeepAgents(c, true); err != nil {
		return err
	}
	t, err := s.admitted(ctx, c, token)
	if err != nil {
		return err
	}
	return t.BindsTo(b)
}

// admitted verifies a token alone, and that it was not used before.
func (s *Service) admitted(ctx context.Context, c memory.Caller, raw string) (aaif.Token, error) {
	var failed error
	t, err := aaif.VerifyToken(raw, aaif.TokenOptions{
		Now: s.opt.Now(), Audience: s.opt.Platform, AllowUnbound: s.opt.Unbound,
		Keys: func(issuer, _ string) (known []ed25519.PublicKey) {
			known, failed = s.trust.AgentKeys(ctx, c, issuer)
			if own, err := keys.Public(c.Owner); err == nil {
				known = append(known, own) // this key identifies the owner
			}
			if s.opt.OwnKeys != nil && slices.Contains(s.opt.Own, issuer) {
				known = append(known, s.opt.OwnKeys(c.Owner)...)
			}
			return known
		},
	})
	if failed != nil {
		return aaif.Token{}, failed
	}
	if err != nil {
		return aaif.Token{}, err
	}
	return t, told(s.store.TokenSpent(ctx, c, spent(t)))
}

func spent(t aaif.Token) agentstore.SpentToken {
	return agentstore.SpentToken{Issuer: t.Issuer, JTI: t.ID, Until: t.Expires.Add(remembered)}
}

// told gives the vault's refusals their codes in this format.
func told(err error) error {
	const token = "/provenance/migration_token"
	switch {
	case errors.Is(err, agentstore.ErrSpent):
		return fault(aaif.TokenReplayed, "8.2-8", token, "the migration token was used before")
	case errors.Is(err, agentstore.ErrUnknownAgent):
		return fault(aaif.AgentUnknown, "8.2-4", "/agent_id", "no such agent is kept here: take its definition in first")
	case errors.Is(err, vault.ErrKeyClosed):
		return fault(aaif.PIIRejected, "12-10", "", "the policy of its definition is encrypt, and the key to seal it under is not open here")
	case errors.Is(err, agentstore.ErrOtherState):
		return fault(aaif.TokenBinding, "8.2-8", "/state_id", "another state of this id is here")
	}
	return err
}

// Confirm records that the sender of a state has been told that it arrived, see
// [agentstore.Service.ConfirmState].
func (s *Service) Confirm(ctx context.Context, c memory.Caller, stateID string) error {
	return s.store.ConfirmState(ctx, c, IDOf(stateID))
}

// Receive accepts a state (AAIF-8.2-4, AAIF-12-13, AAIF-12-14). It judges in the
// order of section 8.2. The vault keeps the state and spends the token in one
// transaction.
func (s *Service) Receive(ctx context.Context, c memory.Caller, state canon.Value) (aaif.KeptState, error) {
	if err := s.store.MayKeepAgents(c, true); err != nil {
		return aaif.KeptState{}, err
	}
	raw := state.AppendCanonical(nil)
	switch {
	case int64(len(raw)) > s.opt.Limits.State:
		return aaif.KeptState{}, fault(aaif.TooLarge, "8.1-1", "", "longer than %d bytes", s.opt.Limits.State)
	case aaif.KindOf(state) != aaif.StateKind:
		return aaif.KeptState{}, fault(aaif.UnknownType, "8.1-1", "", "no state of an agent, which is what is taken in here")
	}
	if err := aaif.VerifyChecksum(state); err != nil {
		return aaif.KeptState{}, err
	}
	token, err := s.admitted(ctx, c, aaif.ReadState(state).Provenance.Token)
	if err != nil {
		return aaif.KeptState{}, err
	}
	if err := token.Binds(state); err != nil {
		return aaif.KeptState{}, err
	}
	return s.keep(ctx, c, state, token)
}
