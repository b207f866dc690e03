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

// ruled is a state as it may be kept by the policy of its agent's definition for what
// identifies people (AAIF-12-10), and which revision of that says so.
type ruled struct {
	state    canon.Value
	seal     bool // it lies encrypted
	revision int64
	masked   string // what was replaced; empty: nothing
}

// inForce returns the rules for a checkpoint: of the newest definition of its agent, and
// of the newest one that somebody vouches for, whatever of both is stricter, so that who
// cannot sign cannot loosen. Of a checkpoint that is kept the one that it came under
// counts, too.
func (s *Service) inForce(ctx context.Context, c memory.Caller, newest agentstore.KeptAgent, kept *agentstore.KeptState) (aaif.Compliance, error) {
	return rulesFor(unread(newest), kept, func(revision int64) (reading, error) {
		a, err := s.store.KeptAgent(ctx, c, newest.ID, revision)
		return unread(a), err
	})
}

// reading is a revision of a definition, and what it says of compliance.
type reading struct {
	agentstore.KeptAgent
	rules func() (aaif.Compliance, error)
}

// unread is a revision that is read when it is asked for its rules.
func unread(a agentstore.KeptAgent) reading {
	return reading{a, func() (aaif.Compliance, error) { return rulesOf(a) }}
}

// rulesFor is inForce by definitions that are looked up otherwise.
func rulesFor(newest reading, kept *agentstore.KeptState, look func(revision int64) (reading, error)) (aaif.Compliance, error) {
	rules, err := newest.rules()
	verified, over := newest.Signer != "", kept == nil || newest.Received.Before(kept.Received)
	for revision := newest.Revision - 1; err == nil && revision > 0 && !(verified && over); revision-- {
		var a reading
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

// Policy returns what the definitions that are kept of an agent have done with what
// identifies people in a checkpoint; stateID: that of one that is kept here, or "" (or
// any other) for one that is not. known is false where no definition is kept.
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

// rulesOf returns what the definition of an agent says of compliance.
func rulesOf(agent agentstore.KeptAgent) (aaif.Compliance, error) {
	v, err := documentOf(agent.Document)
	return aaif.ReadDefinition(v).Agent.Compliance, err
}

// rule applies a policy to a state that came: under reject one that identifies somebody is
// refused, under anonymize that is replaced, under encrypt the state is sealed as it
// came. Elsewhere it stays as it came, its migration token included.
func rule(state canon.Value, agent agentstore.KeptAgent, pii aaif.PII) (ruled, error) {
	r := ruled{state: state, seal: pii == aaif.PIIEncrypt, revision: agent.Revision}
	hidden, masked, err := ByPolicy(state, pii)
	r.state, r.masked = hidden, masked
	return r, err
}

// ByPolicy returns a state as a policy lets it be kept, or read by whoever keeps it, and
// says in words what was replaced: under reject one that identifies somebody is refused.
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

// same reports whether a document that is here says what a state does, or what was kept
// of it by its policy, but for checksum and token.
func (r ruled) same(document []byte, came canon.Value) bool {
	v, err := aaif.FromJSON(document, aaif.ReadOptions{Bytes: int64(len(document)) + 1, Values: len(document) + 1})
	return err == nil && (aaif.Digest(v) == aaif.Digest(came) || aaif.Digest(v) == aaif.Digest(r.state))
}

// keep has a state kept whose token is good, by the policy in force. Should the definition
// change meanwhile, the state is judged by the next one.
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
