package agents

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ruled is a state as it may be kept by the policy of its agent's definition for what
// identifies people (AAIF-12-10), and which revision of that says so.
type ruled struct {
	state    canon.Value
	seal     bool // it lies encrypted
	revision int64
}

// rulesOf returns what the definition of an agent says of compliance.
func rulesOf(agent vault.KeptAgent) (aaif.Compliance, error) {
	v, err := documentOf(agent.Document)
	return aaif.ReadDefinition(v).Agent.Compliance, err
}

// rule applies a policy to a state that came: under reject one that identifies somebody is
// refused, under anonymize that is replaced, under encrypt the state is sealed as it
// came. Elsewhere it stays as it came, its migration token included.
func rule(state canon.Value, agent vault.KeptAgent, pii aaif.PII) (ruled, error) {
	r := ruled{state: state, seal: pii == aaif.PIIEncrypt, revision: agent.Revision}
	if pii != aaif.PIIAnonymize && pii != aaif.PIIReject {
		return r, nil
	}
	hidden, _, err := aaif.Leave(state, aaif.LeaveOptions{PII: pii, AtHome: true})
	if err == nil && pii == aaif.PIIAnonymize {
		r.state = hidden
	}
	return r, err
}

// same reports whether a document that is here says what a state does, or what was kept
// of it by its policy, but for checksum and token.
func (r ruled) same(document []byte, came canon.Value) bool {
	v, err := aaif.FromJSON(document, aaif.ReadOptions{Bytes: int64(len(document)) + 1, Values: len(document) + 1})
	return err == nil && (aaif.Digest(v) == aaif.Digest(came) || aaif.Digest(v) == aaif.Digest(r.state))
}

// keep has a state kept whose token is good, by the policy in force. Should the definition
// change meanwhile, the state is judged by the next one.
func (s *Service) keep(ctx context.Context, c memory.Caller, state canon.Value, t aaif.Token) (aaif.Landed, error) {
	read := aaif.ReadState(state)
	for try := 1; ; try++ {
		kept, warnings, err := s.fit(ctx, c, read, t)
		if err != nil {
			return aaif.Landed{}, err
		}
		landed, err := s.vault.ReceiveState(ctx, c, vault.Landing{
			State: vault.KeptState{
				ID: read.ID, Agent: read.AgentID, Run: read.RunID, Status: string(read.Status),
				Source: read.Provenance.SourcePlatform, Checkpoint: read.CheckpointAt, Document: kept.state.AppendCanonical(nil),
			},
			Token: spent(t), Revision: kept.revision, Seal: kept.seal,
			Same: func(document []byte) bool { return kept.same(document, state) },
		})
		if errors.Is(err, vault.ErrRevised) && try < tries {
			continue
		}
		if err != nil {
			return aaif.Landed{}, told(err)
		}
		out, err := landedOf(landed)
		out.Warnings = warnings
		return out, err
	}
}
