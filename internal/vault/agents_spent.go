package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A token serves once at a platform, whichever of its owners it comes to (AAIF-8.2-8).
// What an owner's own rows say is not enough for that: the home owner's, whom every
// server over the store knows, hold every token that has served here.

// ledgerOf returns whose rows say, beside those of an owner, which tokens have served; "":
// nobody's.
func (v *Vault) ledgerOf(owner memory.DID) memory.DID {
	if v.home == owner {
		return ""
	}
	return v.home
}

// reserve spends a token at the platform before an owner does. release takes that back
// after a failure, unless it is not known whether the owner's transaction was made: then
// the source issues another token.
func (v *Vault) reserve(ctx context.Context, c memory.Caller, t SpentToken, now time.Time) (release func(error) error, err error) {
	const op = "agent receive"
	home := v.ledgerOf(c.Owner)
	if home == "" {
		return func(error) error { return nil }, nil
	}
	err = v.store.Update(ctx, home, func(w store.Writer) error { return w.Spend(t, now) })
	if errors.Is(err, store.ErrExists) {
		v.replayed(c, op)
		return nil, v.agentRefusal(c, op, turned(op, err, store.ErrExists, ErrSpent))
	}
	if err != nil {
		return nil, v.agentRefusal(c, op, err)
	}
	return func(failed error) error {
		if errors.Is(failed, store.ErrUncertain) || errors.Is(failed, ErrSpent) {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return v.store.Update(ctx, home, func(w store.Writer) error { return w.Unspend(t.Issuer, t.JTI) })
	}, nil
}

// TokenSpent refuses, with cause [ErrSpent], a token that was used here before.
func (v *Vault) TokenSpent(ctx context.Context, c memory.Caller, t SpentToken) error {
	const op = "agent receive"
	if err := v.mayAgents(op, c, false); err != nil {
		return err
	}
	for _, owner := range []memory.DID{c.Owner, v.ledgerOf(c.Owner)} {
		spent := false
		var err error
		if owner != "" {
			err = v.store.View(ctx, owner, func(r store.Reader) (err error) {
				spent, err = r.IsSpent(t.Issuer, t.JTI)
				return err
			})
		}
		switch {
		case err != nil:
			return v.agentRefusal(c, op, err)
		case spent:
			v.replayed(c, op)
			return turned(op, ErrSpent, ErrSpent, ErrSpent)
		}
	}
	return nil
}
