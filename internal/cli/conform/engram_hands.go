package conform

import (
	"context"
	"errors"
	"time"

	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// engramHands act as the owner of the store under test.
type engramHands struct {
	opened *cli.Session
	minted []string // tokens of the run, by their ids
}

var _ engramsuite.Hands = (*engramHands)(nil)

// runTime is how long the tokens of a run are valid at most.
const runTime = time.Hour

// tokens makes the tokens that a run needs and was not given.
func (h *engramHands) tokens(a *cli.App, t *engramsuite.Target) error {
	both, reads := []memory.Verb{memory.ReadVerb, memory.WriteVerb}, []memory.Verb{memory.ReadVerb}
	for _, want := range []struct {
		to    *string
		scope engram.Scope
		verbs []memory.Verb
	}{{&t.Token, engram.Full, both}, {&t.Narrow, engram.Professional, both}, {&t.Reads, engram.Full, reads}} {
		if *want.to != "" {
			continue
		}
		token, g, err := h.opened.MintToken(a.Ctx, h.opened.Caller(), vault.TokenOrder{
			Verbs: want.verbs, Runtime: &memory.Runtime{Name: "conformance run", Scope: string(want.scope)}, Expires: a.Now().Add(runTime),
		})
		if err != nil {
			return err
		}
		*want.to, h.minted = token, append(h.minted, g.ID)
	}
	t.Hands = h
	return nil
}

// revoke revokes the tokens of a run, even of an interrupted one.
func (h *engramHands) revoke(a *cli.App) error {
	var failed error
	for _, id := range h.minted {
		failed = errors.Join(failed, h.opened.RevokeToken(context.WithoutCancel(a.Ctx), h.opened.Caller(), id))
	}
	return failed
}

// Believe states a belief.
func (h *engramHands) Believe(ctx context.Context, b engram.Belief) (string, error) {
	said, err := h.opened.Beliefs().Believe(ctx, h.opened.Caller(), b, false)
	return said.Belief.ID, err
}

// Correct gives a belief another value.
func (h *engramHands) Correct(ctx context.Context, belief, value string) error {
	_, err := h.opened.Beliefs().Correct(ctx, h.opened.Caller(), belief, value, "")
	return err
}

// Archive archives a belief.
func (h *engramHands) Archive(ctx context.Context, belief string) error {
	_, err := h.opened.Beliefs().Archive(ctx, h.opened.Caller(), belief)
	return err
}

// Delete deletes a belief.
func (h *engramHands) Delete(ctx context.Context, belief string) error {
	_, err := h.opened.Beliefs().Delete(ctx, h.opened.Caller(), belief)
	return err
}

// Decide confirms a correction, or rejects it.
func (h *engramHands) Decide(ctx context.Context, correction string, confirm bool) error {
	_, err := h.opened.Beliefs().Resolve(ctx, h.opened.Caller(), correction, confirm, "")
	return err
}
