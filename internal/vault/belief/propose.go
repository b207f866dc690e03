package belief

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Limits of a proposal. A runtime may be anybody's program, and the owner has to look at
// each proposal.
const (
	maxProposed = 16 << 10 // bytes of a value, and of the context
	maxRuntime  = 256      // bytes of the name of a runtime
	maxWaiting  = 64       // proposals that wait for one belief
)

// Propose records a runtime's correction of a belief (Engram 3.9). The proposal is a
// candidate record: nothing in force changes until the owner confirms it. Proposing the
// same again, while it waits, returns the same correction (decision E-11).
func (s *Service) Propose(ctx context.Context, c memory.Caller, p engram.Proposal) (engram.Correction, error) {
	const op = "propose"
	if err := s.kernel.MayPropose(op, c); err != nil {
		return engram.Correction{}, err
	}
	if c.Role == memory.Peer && (c.Grant == nil || c.Grant.Runtime == nil) {
		return engram.Correction{}, s.kernel.Refusal(c, op, "", vault.Forbidden(op, "this token is not made for an assistant's context: ask the owner for one with --runtime"))
	}
	if err := checkProposal(p); err != nil {
		return engram.Correction{}, err
	}
	vault.MaskTexts(c, &p.New, &p.Context)
	find, err := s.located(ctx, c, p.Belief)
	if err != nil {
		return engram.Correction{}, s.kernel.Refusal(c, op, "", err)
	}
	var done engram.Correction
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		g, err := find(ctx, w, c)
		if err != nil {
			return err
		}
		b, err := g.correctable(p.Belief)
		if err == nil {
			done, err = g.propose(b, p)
		}
		return err
	})
	if c.Role == memory.Peer {
		done.Belief, done.Old = p.Belief, "" // the full value, which others may see redacted
	}
	return done, s.kernel.Refusal(c, op, "", err)
}

// correctable returns the belief with an id, if the caller may have it. A belief that no
// export contains, or outside the runtime's part of the memory, counts as absent
// (ENGRAM-3.9-CORR-16).
func (g beliefTx) correctable(id string) (beliefRecords, error) {
	b, err := g.belief(id)
	if err != nil {
		return b, err
	}
	if b.hidden || !runtimeCovers(g.caller, b.Category) {
		return b, noBelief(id)
	}
	return b, nil
}

func checkProposal(p engram.Proposal) error {
	switch {
	case p.Belief == "":
		return wrongRequest("ENGRAM-3.9-CORR-4", "belief_id is missing: say which belief is meant")
	case strings.TrimSpace(p.New) == "":
		return wrongRequest("ENGRAM-3.9-CORR-5", "new_value is missing: say what the belief should be")
	case strings.TrimSpace(p.Runtime) == "":
		return wrongRequest("ENGRAM-3.9-CORR-7", "runtime_id is missing: say which runtime proposes this")
	case p.ObservedAt.IsZero():
		return wrongRequest("ENGRAM-3.9-CORR-8", "timestamp is missing: say when this was observed")
	case p.ObservedAt.UTC().Year() < 1 || p.ObservedAt.UTC().Year() > 9999:
		return wrongRequest("ENGRAM-3.9-CORR-8", "timestamp is outside the times that can be kept: give one of the years 1 to 9999")
	case len(p.New) > maxProposed || len(p.Context) > maxProposed || len(p.Runtime) > maxRuntime:
		return wrongRequest("ENGRAM-3.9-CORR-11", fmt.Sprintf("new_value and context have at most %d bytes, runtime_id at most %d", maxProposed, maxRuntime))
	case !utf8.ValidString(p.New + p.Context + p.Runtime):
		return wrongRequest("ENGRAM-3.9-CORR-11", "a text is not UTF-8")
	}
	return nil
}

func wrongRequest(rule, detail string) error {
	return &engram.Fault{Code: engram.InvalidRequest, Rule: rule, Detail: detail}
}

func noBelief(id string) error {
	return &engram.Fault{Code: engram.BeliefNotFound, Rule: "ENGRAM-3.9-ERR-12", Detail: "No belief with id " + shortened(id) + " exists for this user"}
}

// shortened keeps somebody else's text from filling an answer.
func shortened(id string) string {
	if len(id) > 100 {
		return strings.ToValidUTF8(id[:100], "") + "…"
	}
	return id
}

// propose stores a proposal with the belief that it is about.
func (g beliefTx) propose(b beliefRecords, p engram.Proposal) (engram.Correction, error) {
	waiting := b.waiting()
	for _, k := range waiting {
		if sameProposal(k, p) {
			return k, nil
		}
	}
	if len(waiting) >= maxWaiting {
		return engram.Correction{}, &engram.Fault{Code: engram.RateLimited, Rule: "ENGRAM-3.9-CORR-3",
			Detail: fmt.Sprintf("%d corrections of this belief wait for the owner already", maxWaiting)}
	}
	id, err := engram.NewID(rand.Reader)
	if err != nil {
		return engram.Correction{}, err
	}
	rec, err := g.tell.Candidate(b.current(), p, id, g.now)
	if err != nil {
		return engram.Correction{}, err
	}
	rec.Scope.Visibility = memory.Private
	if rec, err = g.lay(vault.Marked(rec, g.caller), store.Created); err != nil {
		return engram.Correction{}, err
	}
	if err := g.vault.kernel.Note(g.w, g.caller, audit.Entry{Act: audit.Propose}, rec.ID, b.current().ID); err != nil {
		return engram.Correction{}, err
	}
	b.lineage.Proposals = append(slices.Clone(b.lineage.Proposals), rec)
	if b, err = g.retold(b); err != nil {
		return engram.Correction{}, err
	}
	g.index.beliefs[g.index.by[b.ID]] = b // for later steps of the transaction
	return b.correction(id)
}

// sameProposal reports whether a waiting correction equals a proposal. For proposals by
// the system, the time of observation does not count.
func sameProposal(have engram.Correction, p engram.Proposal) bool {
	if p.Runtime == "" {
		return have.By == engram.BySystem && sameValue(have.New, p.New)
	}
	return have.New == p.New && have.Runtime == p.Runtime && have.ObservedAt.Equal(p.ObservedAt)
}
