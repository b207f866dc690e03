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

// The ways out.
const (
	Migrate Way = "migrate" // as one document, to another platform
	Handoff Way = "handoff" // as a stream, to another platform
	ToFile  Way = "file"    // into a file, or onto standard output
)

// Sending puts into the audit log that a state leaves, and with which migration token:
// its id and when it expires, if it has one. Call it before the state does.
func (s *Service) Sending(ctx context.Context, c memory.Caller, state canon.Value, by Way, tokenID string, expires time.Time) error {
	read := aaif.ReadState(state)
	return s.store.SendState(ctx, c, agentstore.Departure{State: IDOf(read.ID), Agent: IDOf(read.AgentID), Way: string(by), Token: tokenID, Until: expires})
}

// Token is a migration token that a state leaves with, as the audit log tells of it.
type Token struct {
	ID      string
	For     string // the platform that it is for
	Expires time.Time
	Again   bool // though another platform has the state
}

// Leaving is Sending for a state that leaves with a token: beside the state, if it is kept
// here, stands for whom. Of one that another platform has it fails with code
// [aaif.StateLeft] (AAIF-8.2-1).
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

// Left keeps beside a state, if it is kept here, where it is; the zero Departure: here, as
// nobody has taken it in.
func (s *Service) Left(ctx context.Context, c memory.Caller, stateID string, d aaif.Departure) error {
	return s.store.DepartState(ctx, c, IDOf(stateID), agentstore.Departed(d))
}

// State returns a checkpoint as it is kept to whoever takes it out of the store, see
// [aaif.Backend], by the policy that is in force for it now. That is put into the audit
// log.
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

// Look is State for whoever only looks at a checkpoint, so that it stays where it is:
// nothing is logged, and it is as it is kept.
func (s *Service) Look(ctx context.Context, c memory.Caller, stateID string) (aaif.KeptState, error) {
	row, err := s.keptState(ctx, c, stateID)
	if err != nil {
		return aaif.KeptState{}, err
	}
	return landedOf(row)
}
