package engram

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
)

// CorrectionReceipt is the store's answer to a correction that it recorded.
type CorrectionReceipt struct {
	Correction string     // correction_id
	Belief     string     // belief_id
	Status     Resolution // [Pending]: the owner has to confirm it
}

// Correct proposes a correction. By default the runtime is the client's, observed now. The
// client's memory stays as it is: a correction counts once the owner has confirmed it
// (ENGRAM-3.9-CORR-19).
func (c *Client) Correct(ctx context.Context, p Proposal) (CorrectionReceipt, error) {
	if c.o.Tier == ReaderTier {
		return CorrectionReceipt{}, errors.New("a client of the tier Reader proposes no corrections")
	}
	if p.Runtime == "" {
		p.Runtime = c.o.Runtime
	}
	if p.Runtime == "" {
		return CorrectionReceipt{}, errors.New("a correction needs the name of the runtime, which the owner sees")
	}
	if p.ObservedAt.IsZero() {
		p.ObservedAt = c.o.Now()
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	at, err := c.endpoints(ctx)
	if err != nil {
		return CorrectionReceipt{}, err
	}
	got, err := c.o.Transport.Do(ctx, Request{Method: "POST", URL: at.correct, Token: c.o.Token, Body: p.Wire().Append(nil), Most: maxSmall})
	if err != nil {
		return CorrectionReceipt{}, fmt.Errorf("propose the correction: %w", err)
	}
	if got.Status != 201 {
		return CorrectionReceipt{}, statusError(got)
	}
	v, err := canon.Parse(got.Body, canon.Options{Bytes: maxSmall, Inexact: true})
	s := CorrectionReceipt{v.Get("correction_id").Text(), v.Get("belief_id").Text(), Resolution(v.Get("status").Text())}
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
