package engram

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
)

// Submitted is what a store says of a correction that it recorded.
type Submitted struct {
	Correction string     // correction_id
	Belief     string     // belief_id
	Status     Resolution // [Pending]: the owner has to confirm it
}

// Correct proposes a correction. Where p does not say, the runtime is the client's and
// it was observed now. What the client has stays as it is: the correction counts once
// the owner has confirmed it (ENGRAM-3.9-CORR-19).
func (c *Client) Correct(ctx context.Context, p Proposal) (Submitted, error) {
	if c.o.Tier == ReaderTier {
		return Submitted{}, errors.New("a client of the tier Reader proposes no corrections")
	}
	if p.Runtime == "" {
		p.Runtime = c.o.Runtime
	}
	if p.Runtime == "" {
		return Submitted{}, errors.New("a correction needs the name of the runtime: the owner is shown it")
	}
	if p.ObservedAt.IsZero() {
		p.ObservedAt = c.o.Now()
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	at, err := c.endpoints(ctx)
	if err != nil {
		return Submitted{}, err
	}
	got, err := c.o.Transport.Do(ctx, Request{Method: "POST", URL: at.correct, Token: c.o.Token, Body: p.Wire().Append(nil), Most: maxSmall})
	if err != nil {
		return Submitted{}, fmt.Errorf("propose the correction: %w", err)
	}
	if got.Status != 201 {
		return Submitted{}, statusError(got)
	}
	v, err := canon.Parse(got.Body, canon.Options{Bytes: maxSmall, Inexact: true})
	s := Submitted{v.Get("correction_id").Text(), v.Get("belief_id").Text(), Resolution(v.Get("status").Text())}
	if err != nil || s.Correction == "" {
		return s, errors.New("the store does not say which correction it recorded")
	}
	return s, nil
}

// Wire is the body of a proposal (section 3.9).
func (p Proposal) Wire() canon.Value {
	var o object
	o.must("belief_id", p.Belief)
	o.must("new_value", p.New)
	o.may("context", p.Context)
	o.must("runtime_id", p.Runtime)
	o.time("timestamp", p.ObservedAt)
	return o.value()
}
