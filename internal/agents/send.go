package agents

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// Way is how a state leaves.
type Way string

// The ways in which a state leaves.
const (
	Migrate Way = "migrate" // as one document, to another platform
	Handoff Way = "handoff" // as a stream, to another platform
	ToFile  Way = "file"    // into a file, or onto standard output
)

// Sending writes to the audit log that a state leaves, with the id and expiry of its
// migration token, if it has one. Call it before the state leaves.
func (s *Service) Sending(ctx context.Context, c memory.Caller, state canon.Value, by Way, tokenID string, expires time.Time) error {
	read := aaif.ReadState(state)
	return s.store.SendState(ctx, c, agentstore.Departure{State: IDOf(read.ID), Agent: IDOf(read.AgentID), Way: string(by), Token: tokenID, Until: expires})
}

// Token describes the migration token of a departing state for the audit log.
type Token struct {
	ID      string
	For     string // the platform that it is for
	Expires time.Time
	Again   bool // even if another platform has the state
}

// Leaving is Sending for a state that leaves with a token. If the state is kept here,
// the store notes its recipient. It fails with code [aaif.StateLeft] if another
// platform has the state (AAIF-8.2-1).
func (s *Service) Leaving(ctx context.Context, c memory.Caller, state canon.Value, by Way, t Token) error {
	read := aaif.ReadState(state)
	err := s.store.SendState(ctx, c, agentstore.Departure{
		State: IDOf(read.ID), Agent: IDOf(read.AgentID), Way: string(by), Token: t.ID, Until: t.Expires, For: t.For, Again: t.Again,
	})
	if errors.Is(err, agentstore.ErrDeparted) {
		return fault(aaif.StateLeft, "8.2-1", "/state_id", "another platform has it by now")
	}
	return err
}

// Left notes where a kept state is; the zero Departed means here, since no platform
// has accepted it.
func (s *Service) Left(ctx context.Context, c memory.Caller, stateID string, d aaif.Departure) error {
	return s.store.DepartState(ctx, c, IDOf(stateID), agentstore.Departed(d))
}

// State returns a kept checkpoint to a caller that takes it out of the store, see
// [aaif.Backend], by the policy in force now. It writes that to the audit log.
func (s *Service) State(ctx context.Context, c memory.Caller, stateID string) (aaif.KeptState, error) {
	row, err := s.keptState(ctx, c, stateID)
	if err != nil {
		return aaif.KeptState{}, err
	}
	pii, _, err := s.Policy(ctx, c, row.Agent, row.ID)
	if err != nil {
		return aaif.KeptState{}, err
	}
	l, err := landedOf(row)
	if err != nil {
		return aaif.KeptState{}, err
	}
	document, masked, err := ByPolicy(l.Document, pii)
	if err != nil {
		return aaif.KeptState{}, err
	}
	if l.Document = document; masked != "" {
		l.Warnings = []string{masked}
	}
	_, err = s.store.HandState(ctx, c, row.ID)
	return l, err
}

// Look is State for a caller that only looks at a checkpoint. The checkpoint stays
// where it is and as it is kept, and nothing is logged.
func (s *Service) Look(ctx context.Context, c memory.Caller, stateID string) (aaif.KeptState, error) {
	row, err := s.keptState(ctx, c, stateID)
	if err != nil {
		return aaif.KeptState{}, err
	}
	return landedOf(row)
}
