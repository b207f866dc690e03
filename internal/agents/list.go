package agents

import (
	"context"
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// heldAtOnce is how many definitions a list holds in memory.
const heldAtOnce = 16

// Agents lists agents, see [aaif.Backend].
func (s *Service) Agents(ctx context.Context, c memory.Caller, after string, limit int) ([]aaif.KeptAgent, error) {
	s, err := s.fresh()
	if err != nil {
		return nil, err
	}
	list := []aaif.KeptAgent{}
	for most := most(limit); len(list) < most; {
		wanted := min(most-len(list), heldAtOnce)
		rows, err := s.store.KeptAgents(ctx, c, after, wanted)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			k, err := s.keptHere(ctx, c, row)
			if err != nil {
				return nil, err
			}
			k.Document = canon.Value{}
			list, after = append(list, k), k.AgentID
		}
		if len(rows) < wanted {
			break
		}
	}
	return list, nil
}

// most returns how many items a list may have.
func most(limit int) int {
	if limit <= 0 {
		return aaif.MostListed
	}
	return min(limit, aaif.MostListed)
}

// Agent returns a revision of an agent, see [aaif.Backend].
func (s *Service) Agent(ctx context.Context, c memory.Caller, agentID string, revision int) (aaif.KeptAgent, error) {
	row, err := s.store.KeptAgent(ctx, c, IDOf(agentID), int64(max(revision, 0)))
	if err != nil {
		return aaif.KeptAgent{}, err
	}
	if s, err = s.fresh(); err != nil {
		return aaif.KeptAgent{}, err
	}
	return s.keptHere(ctx, c, row)
}

// keptHere returns a kept definition, and why its agent cannot run here.
func (s *Service) keptHere(ctx context.Context, c memory.Caller, row agentstore.KeptAgent) (aaif.KeptAgent, error) {
	k, err := keptOf(row)
	if err == nil {
		k.CannotRun, k.Off, err = s.lacks(ctx, c, aaif.ReadDefinition(k.Document))
	}
	return k, err
}

// States lists checkpoints, see [aaif.Backend].
func (s *Service) States(ctx context.Context, c memory.Caller, agentID string, after aaif.Place, limit int) ([]aaif.KeptState, error) {
	rows, err := s.store.KeptStates(ctx, c, IDOf(agentID), agentstore.StatePlace{Checkpoint: after.CheckpointAt, ID: after.StateID}, most(limit))
	if err != nil {
		return nil, err
	}
	list := make([]aaif.KeptState, len(rows))
	for i, row := range rows {
		list[i] = landedHead(row)
	}
	return list, nil
}

func keptHead(row agentstore.KeptAgent) aaif.KeptAgent {
	return aaif.KeptAgent{
		AgentID: row.ID, Revision: int(row.Revision), Version: row.Version, Name: row.Name, Status: aaif.Status(row.Status),
		Digest: row.Digest, Signer: memory.DID(row.Signer), Received: row.Received,
	}
}

func keptOf(row agentstore.KeptAgent) (aaif.KeptAgent, error) {
	k := keptHead(row)
	var err error
	k.Document, err = documentOf(row.Document)
	return k, err
}

func landedHead(row agentstore.KeptState) aaif.KeptState {
	return aaif.KeptState{
		StateID: row.ID, AgentID: row.Agent, RunID: row.Run, Status: aaif.RunStatus(row.Status), Source: row.Source,
		CheckpointAt: row.Checkpoint, Received: row.Received, Left: aaif.Departure(row.Departed),
	}
}

func landedOf(row agentstore.KeptState) (aaif.KeptState, error) {
	l := landedHead(row)
	var err error
	l.Document, err = documentOf(row.Document)
	return l, err
}

// documentOf reads a document that was judged before it was kept.
func documentOf(raw []byte) (canon.Value, error) {
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{Bytes: int64(len(raw)) + 1, Values: len(raw) + 1, Depth: 1000, Name: len(raw) + 1})
	if err != nil {
		return canon.Value{}, &memory.Error{Kind: memory.Internal, Op: "agent", Err: fmt.Errorf("read a kept document: %w", err),
			Message: "what is kept of this agent cannot be read: see satchel doctor"}
	}
	return v, nil
}
