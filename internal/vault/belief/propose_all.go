package belief

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

var _ engram.Batcher = (*Service)(nil)

// errOneRefused ends the transaction of an atomic batch with a refused proposal.
var errOneRefused = errors.New("one of the corrections was refused")

// ProposeAll runs Propose for each entry of list, in one transaction (section 12.4). A
// refused entry has its refusal in its place; with atomic, one refusal discards them
// all.
func (s *Service) ProposeAll(ctx context.Context, c memory.Caller, list []engram.Proposal, atomic bool) ([]engram.ProposalResult, error) {
	const op = "propose"
	if err := s.kernel.MayPropose(op, c); err != nil {
		return nil, err
	}
	if c.Role == memory.Peer && (c.Grant == nil || c.Grant.Runtime == nil) {
		return nil, s.kernel.Refusal(c, op, "", vault.Forbidden(op, "this token is not made for an assistant's context: ask the owner for one with --runtime"))
	}
	find, err := s.located(ctx, c, proposedFor(list)...)
	if err != nil {
		return nil, s.kernel.Refusal(c, op, "", err)
	}
	var done []engram.ProposalResult
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		g, err := find(ctx, w, c)
		if err != nil {
			return err
		}
		if done, err = g.proposeAll(list); err != nil {
			return err
		}
		if atomic && withdrawn(done) {
			return errOneRefused
		}
		return nil
	})
	if errors.Is(err, errOneRefused) {
		err = nil
	}
	for i := range done {
		if c.Role == memory.Peer && done[i].Correction.ID != "" {
			done[i].Correction.Belief, done[i].Correction.Old = list[i].Belief, ""
		}
	}
	return done, s.kernel.Refusal(c, op, "", err)
}

// proposedFor returns the ids of the beliefs that proposals are about, without invalid
// proposals, which are refused anyway.
func proposedFor(list []engram.Proposal) (ids []string) {
	for _, p := range list {
		if checkProposal(p) == nil {
			ids = append(ids, p.Belief)
		}
	}
	return ids
}

func (g beliefTx) proposeAll(list []engram.Proposal) ([]engram.ProposalResult, error) {
	done := make([]engram.ProposalResult, len(list))
	for i, p := range list {
		var b beliefRecords
		err := checkProposal(p)
		vault.MaskTexts(g.caller, &p.New, &p.Context)
		if err == nil {
			b, err = g.correctable(p.Belief)
		}
		if err == nil {
			done[i].Correction, err = g.propose(b, p)
		}
		if vault.IsFault(err) { // nothing of it was written
			done[i], err = engram.ProposalResult{Err: err}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return done, nil
}

// withdrawn reports whether a proposal was refused, and clears the other results if so.
func withdrawn(done []engram.ProposalResult) bool {
	refused := false
	for _, d := range done {
		refused = refused || d.Err != nil
	}
	for i := range done {
		if refused {
			done[i].Correction = engram.Correction{}
		}
	}
	return refused
}
