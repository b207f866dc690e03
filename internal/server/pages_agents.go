package server

import (
	"cmp"
	"context"
	"sync"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// noAgents is the error of a server that keeps no agents.
func noAgents() error {
	return &memory.Error{Kind: memory.Unsupported, Op: "agents", Message: "this server keeps no agents"}
}

// AgentList lists agents.
func (p ownerPages) AgentList(ctx context.Context, c memory.Caller, after string) ([]pages.Agent, error) {
	if p.agents == nil {
		return nil, noAgents()
	}
	all, err := p.agents.Agents(ctx, c, after, pages.PageSize)
	out := make([]pages.Agent, len(all))
	for i, a := range all {
		out[i] = agentOf(a)
	}
	return out, err
}

func agentOf(a aaif.KeptAgent) pages.Agent {
	return pages.Agent{ID: a.AgentID, Name: cmp.Or(a.Name, a.AgentID), Version: a.Version, Status: string(a.Status), Revision: a.Revision, Signer: string(a.Signer),
		Received: a.Received, Lacks: a.CannotRun, Off: a.Off}
}

// AgentOf returns a revision of an agent.
func (p ownerPages) AgentOf(ctx context.Context, c memory.Caller, id string, revision int) (pages.Agent, error) {
	if p.agents == nil {
		return pages.Agent{}, noAgents()
	}
	a, err := p.agents.Agent(ctx, c, id, revision)
	if err != nil {
		return pages.Agent{}, err
	}
	out := agentOf(a)
	out.Document = a.Document.AppendIndent(nil, "  ")
	out.Advice, err = adviceOn(a.Document)
	return out, err
}

var pageValidator = sync.OnceValues(func() (*aaif.Validator, error) { return aaif.NewValidator(aaif.StandardRegistries()) })

// mostAdvice is how many findings the page of an agent lists.
const mostAdvice = 50

// adviceOn says what a reader would say about a definition.
func adviceOn(document canon.Value) (all []pages.Advice, err error) {
	v, err := pageValidator()
	if err != nil {
		return nil, err
	}
	found := v.Lint(aaif.Document{Kind: aaif.AgentKind, Value: document})
	for _, f := range found[:min(len(found), mostAdvice)] {
		all = append(all, pages.Advice{Where: cmp.Or(f.Path, "/"), Text: f.Err.Error()})
	}
	return all, nil
}

// Checkpoints lists checkpoints.
func (p ownerPages) Checkpoints(ctx context.Context, c memory.Caller, agent string) ([]pages.Checkpoint, error) {
	if p.agents == nil {
		return nil, noAgents()
	}
	all, err := p.agents.States(ctx, c, agent, aaif.Place{}, pages.PageSize)
	out := make([]pages.Checkpoint, len(all))
	for i, s := range all {
		out[i] = pages.Checkpoint{ID: s.StateID, Agent: s.AgentID, Run: s.RunID, Status: string(s.Status), From: s.Source, At: s.CheckpointAt, Received: s.Received,
			Left: cmp.Or(s.Left.For, s.Left.To), Warnings: s.Warnings}
	}
	return out, err
}

// CheckpointOf returns the document of a checkpoint.
func (p ownerPages) CheckpointOf(ctx context.Context, c memory.Caller, id string) ([]byte, error) {
	if p.agents == nil {
		return nil, noAgents()
	}
	s, err := p.agents.State(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return s.Document.AppendIndent(nil, "  "), nil
}

// RemoveAgent removes an agent.
func (p ownerPages) RemoveAgent(ctx context.Context, c memory.Caller, id string) error {
	if p.agents == nil {
		return noAgents()
	}
	_, err := p.agents.RemoveAgent(ctx, c, id)
	return err
}

// RemoveCheckpoint removes a checkpoint.
func (p ownerPages) RemoveCheckpoint(ctx context.Context, c memory.Caller, id string) error {
	if p.agents == nil {
		return noAgents()
	}
	_, err := p.agents.RemoveState(ctx, c, id)
	return err
}
