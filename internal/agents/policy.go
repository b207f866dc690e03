package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// keptForm is a state in the form that its agent's policy for personal data allows to keep
// (AAIF-12-10). It also holds the revision of the definition with that policy.
type keptForm struct {
	state    canon.Value
	seal     bool // it is stored encrypted
	revision int64
	masked   string // the data that was replaced; empty: none
}

// inForce returns the rules for a checkpoint. It takes the stricter rules of two
// definitions of its agent: the newest, and the newest with a known signature. So a
// caller who cannot sign cannot loosen the rules. For a kept checkpoint the definition
// at its arrival counts, too.
func (s *Service) inForce(ctx context.Context, c memory.Caller, newest agentstore.KeptAgent, kept *agentstore.KeptState) (aaif.Compliance, error) {
	return rulesFor(unread(newest), kept, func(revision int64) (revisionRules, error) {
		a, err := s.store.KeptAgent(ctx, c, newest.ID, revision)
		return unread(a), err
	})
}

// revisionRules is a revision of a definition, and its rules for compliance.
type revisionRules struct {
	agentstore.KeptAgent
	rules func() (aaif.Compliance, error)
}

// unread returns a revision that is parsed when its rules are needed.
func unread(a agentstore.KeptAgent) revisionRules {
	return revisionRules{a, func() (aaif.Compliance, error) { return rulesOf(a) }}
}

// rulesFor is inForce with another way to look up definitions.
func rulesFor(newest revisionRules, kept *agentstore.KeptState, look func(revision int64) (revisionRules, error)) (aaif.Compliance, error) {
	rules, err := newest.rules()
	verified, over := newest.Signer != "", kept == nil || newest.Received.Before(kept.Received)
	for revision := newest.Revision - 1; err == nil && revision > 0 && !(verified && over); revision-- {
		var a revisionRules
		if a, err = look(revision); err != nil {
			break
		}
		first := !verified && a.Signer != ""
		under := !over && !a.Received.After(kept.Received)
		if first || under {
			var also aaif.Compliance
			also, err = a.rules()
			rules = stricter(rules, also)
		}
		verified, over = verified || first, over || under && a.Received.Before(kept.Received)
	}
	return rules, err
}

func stricter(a, b aaif.Compliance) aaif.Compliance {
	a.PII, a.Safety = a.PII.Stricter(b.PII), a.Safety.Stricter(b.Safety)
	return a
}

// Policy returns how the kept definitions of an agent treat personal data in a
// checkpoint. stateID names a checkpoint that is kept here; "" or any other id stands
// for one that is not. known is false if no definition is kept.
func (s *Service) Policy(ctx context.Context, c memory.Caller, agentID, stateID string) (pii aaif.PII, known bool, err error) {
	newest, err := s.store.KeptAgent(ctx, c, IDOf(agentID), 0)
	if memory.KindOf(err) == memory.NotFound {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	var kept *agentstore.KeptState
	if stateID != "" {
		row, err := s.keptState(ctx, c, stateID)
		switch {
		case err == nil && row.Agent == newest.ID:
			kept = &row
		case err != nil && memory.KindOf(err) != memory.NotFound:
			return "", false, err
		}
	}
	rules, err := s.inForce(ctx, c, newest, kept)
	return rules.PII, true, err
}

// rulesOf returns the rules for compliance in an agent's definition.
func rulesOf(agent agentstore.KeptAgent) (aaif.Compliance, error) {
	v, err := documentOf(agent.Document)
	return aaif.ReadDefinition(v).Agent.Compliance, err
}

// rule applies a policy to a state that arrived. Under reject it refuses a state with
// personal data, under anonymize it replaces that data, and under encrypt it seals
// the state as it arrived. In all other cases the state stays as it arrived, its
// migration token included.
func rule(state canon.Value, agent agentstore.KeptAgent, pii aaif.PII) (keptForm, error) {
	r := keptForm{state: state, seal: pii == aaif.PIIEncrypt, revision: agent.Revision}
	hidden, masked, err := ByPolicy(state, pii)
	r.state, r.masked = hidden, masked
	return r, err
}

// ByPolicy returns a state in the form that a policy allows to keep or to read, and
// the replaced data in words. Under reject it refuses a state with personal data.
func ByPolicy(state canon.Value, pii aaif.PII) (canon.Value, string, error) {
	if pii != aaif.PIIAnonymize && pii != aaif.PIIReject {
		return state, "", nil
	}
	hidden, done, err := privacy.Redact(state, privacy.RedactOptions{PII: pii, AtHome: true})
	if err != nil || pii == aaif.PIIReject {
		return state, "", err
	}
	if aaif.Digest(hidden) == aaif.Digest(state) {
		return state, "", nil
	}
	return hidden, fmt.Sprintf("not as it came, as its definition wants: %s; its checksum is %s [AAIF-12-10]",
		strings.Join(done.Words(), "; "), hidden.Get("provenance").Get("checksum").Text()), nil
}

// same reports whether a kept document equals a state, or the parts of it that its
// policy allows to keep, except for checksum and token.
func (r keptForm) same(document []byte, came canon.Value) bool {
	v, err := aaif.FromJSON(document, aaif.ReadOptions{Bytes: int64(len(document)) + 1, Values: len(document) + 1})
	return err == nil && (aaif.Digest(v) == aaif.Digest(came) || aaif.Digest(v) == aaif.Digest(r.state))
}

// keep stores a state with a valid token, by the policy in force. If the definition
// changes meanwhile, it judges the state by the next one.
func (s *Service) keep(ctx context.Context, c memory.Caller, state canon.Value, t aaif.Token) (aaif.KeptState, error) {
	read := aaif.ReadState(state)
	for try := 1; ; try++ {
		kept, warnings, err := s.fit(ctx, c, read, t)
		if err != nil {
			return aaif.KeptState{}, err
		}
		landed, err := s.store.ReceiveState(ctx, c, agentstore.Landing{
			State: agentstore.KeptState{
				ID: IDOf(read.ID), Agent: IDOf(read.AgentID), Run: read.RunID, Status: string(read.Status),
				Source: t.Issuer, Checkpoint: read.CheckpointAt, Document: kept.state.AppendCanonical(nil),
			},
			Token: spent(t), Revision: kept.revision, Seal: kept.seal,
			Same: func(document []byte) bool { return kept.same(document, state) },
		})
		if errors.Is(err, agentstore.ErrRevised) && try < tries {
			continue
		}
		if err != nil {
			return aaif.KeptState{}, told(err)
		}
		out, err := landedOf(landed)
		out.Warnings = warnings
		return out, err
	}
}
