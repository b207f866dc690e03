package agentstore

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// isSpent reports whether a token was used. It looks for the token as it is stored now,
// and as an earlier release stored it.
func isSpent(r store.Reader, t SpentToken) (bool, error) {
	mark := vault.SpentMark(t)
	spent, err := r.Agents().IsSpent(mark.Issuer, mark.JTI)
	if err != nil || spent {
		return spent, err
	}
	return r.Agents().IsSpent(t.Issuer, t.JTI)
}

// ledgerOf returns the owner whose rows also record used tokens, beside the rows of the
// given owner; "": nobody.
func (k *Service) ledgerOf(owner memory.DID) memory.DID {
	if k.kernel.Home() == owner {
		return ""
	}
	return k.kernel.Home()
}

// reserve spends a token in the home owner's rows before the receiving owner's
// transaction spends it. release undoes that after a failure. If it is unknown whether
// the owner's transaction took place, release does nothing: the source then issues
// another token.
func (k *Service) reserve(ctx context.Context, c memory.Caller, t SpentToken, now time.Time) (release func(error) error, err error) {
	const op = "agent receive"
	home := k.ledgerOf(c.Owner)
	if home == "" {
		return func(error) error { return nil }, nil
	}
	mark := vault.SpentMark(t)
	err = k.kernel.Store().Update(ctx, home, func(w store.Writer) error { return w.AgentKeeper().Spend(mark, now) })
	if errors.Is(err, store.ErrExists) {
		k.replayed(c, op)
		return nil, k.agentRefusal(c, op, turned(op, err, store.ErrExists, ErrSpent))
	}
	if err != nil {
		return nil, k.agentRefusal(c, op, err)
	}
	return func(failed error) error {
		if errors.Is(failed, store.ErrUncertain) || errors.Is(failed, ErrSpent) {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return k.kernel.Store().Update(ctx, home, func(w store.Writer) error { return w.AgentKeeper().Unspend(mark.Issuer, mark.JTI) })
	}, nil
}

// TokenSpent refuses, with cause [ErrSpent], a token that was used here before.
func (k *Service) TokenSpent(ctx context.Context, c memory.Caller, t SpentToken) error {
	const op = "agent receive"
	if err := k.mayAgents(op, c, false); err != nil {
		return err
	}
	for _, owner := range []memory.DID{c.Owner, k.ledgerOf(c.Owner)} {
		spent := false
		var err error
		if owner != "" {
			err = k.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
				spent, err = isSpent(r, t)
				return err
			})
		}
		switch {
		case err != nil:
			return k.agentRefusal(c, op, err)
		case spent:
			k.replayed(c, op)
			return turned(op, ErrSpent, ErrSpent, ErrSpent)
		}
	}
	return nil
}
