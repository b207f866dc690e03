package agents

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// tries is how often a document is judged again when the kept definitions change
// meanwhile.
const tries = 5

// Intake accepts a definition (AAIF-7-2, AAIF-7-16). If another revision of its agent
// arrives meanwhile, Intake judges the definition as the successor of that one.
func (s *Service) Intake(ctx context.Context, c memory.Caller, raw []byte, o aaif.IntakeOptions) (aaif.Receipt, error) {
	if err := s.store.MayKeepAgents(c, !o.DryRun); err != nil {
		return aaif.Receipt{}, err
	}
	s, err := s.fresh()
	if err != nil {
		return aaif.Receipt{}, err
	}
	var newest agentstore.KeptAgent
	for try := 1; ; try++ {
		j := judgement{service: s, caller: c, newest: newest}
		if err := j.judge(ctx, raw, o); err != nil {
			return aaif.Receipt{}, j.turnedDown(ctx, err, o)
		}
		draft, err := s.draft(j)
		if err != nil {
			return aaif.Receipt{}, err
		}
		draft.Dry = o.DryRun
		draft.May = func(kept agentstore.KeptAgent) error {
			newest = kept
			return j.may(kept)
		}
		kept, unchanged, err := s.store.KeepAgent(ctx, c, draft)
		switch {
		case errors.Is(err, agentstore.ErrRevised) && try < tries:
			continue
		case err != nil:
			return aaif.Receipt{}, j.turnedDown(ctx, err, o)
		}
		j.warnings = append(recastWords(draft.Recasting, o.DryRun), j.warnings...)
		return j.receipt(ctx, kept, unchanged)
	}
}

// judge decides whether to accept a definition.
func (j *judgement) judge(ctx context.Context, raw []byte, o aaif.IntakeOptions) error {
	for _, step := range []func() error{
		func() error { return j.read(raw) },
		j.valid,
		func() error { return j.current(o) },
		func() error { return j.known(ctx) },
		func() error { return j.signed(ctx) },
		j.harmless,
		func() error { return j.runnable(ctx, o) },
		func() error { return j.follows(ctx, o) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// draft returns a definition in the form to keep. It gives an id to one without, and
// writes the id into the document unless that would break its signature (AAIF-4.1-2).
func (s *Service) draft(j judgement) (agentstore.AgentDraft, error) {
	v, d := j.doc.Value, j.definition
	came := digestOf(v)
	draft := agentstore.AgentDraft{KeptAgent: agentstore.KeptAgent{
		ID: IDOf(d.ID), Digest: came, Came: came, Version: d.Agent.Version, Name: d.Agent.Name, Status: string(d.Status), Signer: string(j.vouched.key),
	}, Seal: d.Agent.Compliance.PII == aaif.PIIEncrypt, Recasting: recasting(d.Agent.Compliance.PII)}
	if d.ID == "" {
		id, err := aaif.NewID(s.opt.Random)
		if err != nil {
			return agentstore.AgentDraft{}, err
		}
		draft.ID, draft.Given = id, true
		if !v.Get("provenance").Has("signature") {
			v = v.With("agent_id", canon.String(id))
			draft.Digest = digestOf(v)
		}
	}
	draft.Document = v.AppendCanonical(nil)
	return draft, nil
}

// receipt reports the result of an intake.
func (j judgement) receipt(ctx context.Context, kept agentstore.KeptAgent, unchanged bool) (aaif.Receipt, error) {
	k, err := j.service.keptHere(ctx, j.caller, kept)
	if err != nil {
		return aaif.Receipt{}, err
	}
	return aaif.Receipt{
		Kept: k, Level: j.service.validator.Produced(j.doc).Highest(), Negotiation: j.negotiation, Warnings: j.warnings,
		Disabled: append(j.negotiation.Disabled(), j.service.off(j.definition)...), Unchanged: unchanged,
	}, nil
}
