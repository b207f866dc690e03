package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A token serves once at a platform, whichever of its owners it comes to (AAIF-8.2-8).
// What an owner's own rows say is not enough for that: the home owner's, whom every
// server over the store knows, hold every token that has served here.
//
// What stands there of a token is a digest of its issuer and id, which names nobody, so
// that it can outlast the owner's memories: neither a rekey nor an erasure makes a token
// good again before it has expired.

// spentMark is what stands for a token among those that have served: of no issuer, and in
// the place of an id the SHA-256 of both.
func spentMark(t SpentToken) SpentToken {
	sum := sha256.New()
	fmt.Fprintf(sum, "satchel spent token 1\x00%d\x00%s%s", len(t.Issuer), t.Issuer, t.JTI)
	return SpentToken{JTI: hex.EncodeToString(sum.Sum(nil)), Until: t.Until}
}

// SpentTokens returns the marks of the tokens of an owner that could be used again if they
// were forgotten.
func SpentTokens(r store.Reader, now time.Time) ([]SpentToken, error) {
	list, err := r.SpentList(now)
	for i, t := range list {
		if t.Issuer != "" { // as an earlier release filed it
			list[i] = spentMark(t)
		}
	}
	return list, err
}

// SpendAll files tokens that have served, and may have been filed before.
func SpendAll(w store.Writer, list []SpentToken, now time.Time) error {
	for _, t := range list {
		if err := w.Spend(t, now); err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
	}
	return nil
}

// isSpent looks for a token as it is filed, and as an earlier release did it.
func isSpent(r store.Reader, t SpentToken) (bool, error) {
	mark := spentMark(t)
	spent, err := r.IsSpent(mark.Issuer, mark.JTI)
	if err != nil || spent {
		return spent, err
	}
	return r.IsSpent(t.Issuer, t.JTI)
}

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
	mark := spentMark(t)
	err = v.store.Update(ctx, home, func(w store.Writer) error { return w.Spend(mark, now) })
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
		return v.store.Update(ctx, home, func(w store.Writer) error { return w.Unspend(mark.Issuer, mark.JTI) })
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
				spent, err = isSpent(r, t)
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
