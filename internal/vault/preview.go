package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Preview returns what [Vault.RecallNoting] would answer c, for the owner to see. c itself
// asks nothing, so that neither the journal of readings nor the audit log notes anything, and
// a refusal is returned without [access.refusal], which would count it as one of c's. Preview
// does not check whether the owner paused c.
func Preview(ctx context.Context, k Kernel, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	const op = "recall"
	own := q.Scope.Owner != ""
	c, q, err := k.completed(op, c, q)
	if err == nil {
		err = allows(op, c, memory.ReadVerb)
	}
	if err != nil {
		return nil, nil, err
	}
	found, err := k.look(ctx, op, c, q, own)
	if _, refused := errors.AsType[*memory.Error](err); refused {
		return nil, nil, err
	}
	return found.hits, found.warnings(), k.refusal(c, op, "", err)
}

// Bearer returns the caller that a token of c's owner admits here now, by its jti. The errors
// are of kind NotFound for an unknown token, Unsupported for one that was issued elsewhere,
// whose claims are not known, and Unauthorized for one that admits nobody.
func Bearer(ctx context.Context, k Kernel, c memory.Caller, id string) (memory.Caller, error) {
	const op = "token"
	if err := k.mayOwn(op, c); err != nil {
		return memory.Caller{}, err
	}
	var g store.Grant
	err := k.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		g, err = r.Grant(id)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return memory.Caller{}, &memory.Error{Kind: memory.NotFound, Op: op, Message: "there is no such token"}
	case err != nil:
		return memory.Caller{}, k.refusal(c, op, "", err)
	case !g.Revoked.IsZero():
		return memory.Caller{}, ump.TokenError(ump.ErrTokenRevoked)
	case g.Claims == nil:
		return memory.Caller{}, &memory.Error{Kind: memory.Unsupported, Op: op, Message: "this token was issued elsewhere, and only it says what it allows"}
	}
	claims, err := ump.ParseClaims(g.Claims)
	if err == nil {
		err = claims.Check(k.now(), k.audienceOf(c.Owner))
	}
	if err != nil {
		return memory.Caller{}, err
	}
	return claims.Caller(), nil
}
