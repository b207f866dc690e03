package aaiftest

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Admit verifies a token.
func (p *Platform) Admit(_ context.Context, c memory.Caller, token string, b aaif.Binding) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	if err := p.before("admit"); err != nil {
		return err
	}
	_, err := p.verify(token, b)
	return err
}

// verify verifies an unused token.
func (p *Platform) verify(token string, b aaif.Binding) (aaif.Token, error) {
	t, err := aaif.VerifyToken(token, aaif.TokenOptions{Now: p.Now(), Audience: p.Name, Keys: p.keysOf})
	if err != nil {
		return t, err
	}
	if p.spent[t.Issuer+" "+t.ID] {
		return t, &aaif.Fault{Code: aaif.TokenReplayed, Text: "the migration token was used before"}
	}
	return t, t.BindsTo(b)
}

func (p *Platform) keysOf(issuer, _ string) []ed25519.PublicKey {
	key, ok := p.Trusted[issuer]
	if !ok {
		return nil
	}
	return []ed25519.PublicKey{key.Public()}
}

// Receive verifies and keeps a state.
func (p *Platform) Receive(_ context.Context, c memory.Caller, state canon.Value) (aaif.KeptState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	if err := p.before("receive"); err != nil {
		return aaif.KeptState{}, err
	}
	if err := aaif.VerifyChecksum(state); err != nil {
		return aaif.KeptState{}, err
	}
	s := aaif.ReadState(state)
	t, err := p.verify(s.Provenance.Token, aaif.Binding{StateID: s.ID, AgentID: s.AgentID, RunID: s.RunID})
	if err != nil {
		return aaif.KeptState{}, err
	}
	if err := t.Binds(state); err != nil {
		return aaif.KeptState{}, err
	}
	if len(p.agents[s.AgentID]) == 0 {
		return aaif.KeptState{}, &aaif.Fault{Code: aaif.AgentUnknown, Text: "no agent of this id is known here"}
	}
	landed := aaif.KeptState{StateID: s.ID, AgentID: s.AgentID, RunID: s.RunID, Status: s.Status, Source: s.Provenance.SourcePlatform,
		CheckpointAt: s.CheckpointAt, Received: p.Now().UTC(), Document: state}
	p.spent[t.Issuer+" "+t.ID] = true
	p.states = append(p.states, landed)
	return landed, nil
}

// Confirm notes the id of a state whose sender knows that it arrived.
func (p *Platform) Confirm(_ context.Context, _ memory.Caller, stateID string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.confirmed = append(p.confirmed, stateID)
	return nil
}

// Confirmed returns the ids of the states whose senders know that they arrived.
func (p *Platform) Confirmed() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.confirmed)
}

// States yields the received states, newest first.
func (p *Platform) States(_ context.Context, c memory.Caller, agentID string, after aaif.Place, limit int) ([]aaif.KeptState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	var list []aaif.KeptState
	for _, l := range p.states {
		if beyond := after.StateID == "" || order(l.Place(), after) > 0; beyond && (agentID == "" || l.AgentID == agentID) {
			l.Document = canon.Value{}
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b aaif.KeptState) int { return order(a.Place(), b.Place()) })
	return page(list, limit), p.before("states")
}

// order is the order of lists: newest first, then by descending id.
func order(a, b aaif.Place) int {
	return cmp.Or(b.CheckpointAt.Compare(a.CheckpointAt), cmp.Compare(b.StateID, a.StateID))
}

// State returns a received state.
func (p *Platform) State(_ context.Context, c memory.Caller, stateID string) (aaif.KeptState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callers = append(p.callers, c)
	for _, l := range p.states {
		if l.StateID == stateID {
			return l, p.before("state")
		}
	}
	return aaif.KeptState{}, &memory.Error{Kind: memory.NotFound, Message: "there is no such state"}
}
