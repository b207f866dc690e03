package belief

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

var _ engram.Constrainer = (*Service)(nil)

// A constraint that a runtime submits is a candidate record that contradicts nothing: no
// surface states it as fact, and no export contains it. Its residue holds the future
// constraint, and under runtimeMember the name of the runtime that submitted it.
// Resolving the constraint removes the record; the audit log keeps the outcome.

// runtimeMember names the runtime that submitted a constraint.
const runtimeMember = "runtime_id"

// waitingConstraint is a constraint that waits for the owner, with the id of its record.
type waitingConstraint struct {
	engram.Constraint
	record memory.ID
}

// ProposeConstraint records a constraint that a runtime proposes (edition 0.1.2, section
// 3.10). It binds nobody until the owner confirms it. Proposing a waiting constraint
// again returns the waiting one.
func (s *Service) ProposeConstraint(ctx context.Context, c memory.Caller, k engram.Constraint) (engram.Constraint, error) {
	const op = "constrain"
	if err := s.kernel.MayPropose(op, c); err != nil {
		return k, err
	}
	if c.Role == memory.Peer && (c.Grant == nil || c.Grant.Runtime == nil) {
		return k, s.kernel.Refusal(c, op, "", vault.Forbidden(op, "this token is not made for an assistant's context: ask the owner for one with --runtime"))
	}
	vault.MaskTexts(c, &k.Rule, &k.Note)
	k, err := checkedConstraint(k)
	if err != nil {
		return k, err
	}
	var done engram.Constraint
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		done, err = s.emptyTx(w, c).proposeConstraint(ctx, k)
		return err
	})
	return done, s.kernel.Refusal(c, op, "", err)
}

func (g beliefTx) proposeConstraint(ctx context.Context, k engram.Constraint) (engram.Constraint, error) {
	waiting, err := g.waitingConstraints(ctx)
	if err != nil {
		return k, err
	}
	from := runtimeOf(g.caller)
	for _, have := range waiting {
		if have.Rule == k.Rule && have.Category == k.Category && have.Scope == k.Scope && submitter(have.Constraint) == from {
			return have.Constraint, nil
		}
	}
	if len(waiting) >= maxWaiting {
		return k, &engram.Fault{Code: engram.RateLimited, Rule: "ENGRAM-3.9-CORR-3",
			Detail: fmt.Sprintf("%d constraints wait for the owner already", maxWaiting)}
	}
	if k.ID, err = engram.NewID(rand.Reader); err != nil {
		return k, err
	}
	k.CreatedAt, k.Status = g.now, string(engram.Active)
	k = engram.ReadConstraint(k.Wire().With(runtimeMember, canon.String(from)))
	rec, err := g.tell.ConstraintRecord(k)
	if err != nil {
		return k, err
	}
	rec.Lifecycle.Status = memory.Candidate
	rec.Provenance = &memory.Provenance{Actor: from, ActorKind: memory.ByAgent, Method: "engram_constraint"}
	if rec, err = g.lay(vault.Marked(rec, g.caller), store.Created); err != nil {
		return k, err
	}
	k.Status = string(engram.Pending)
	return k, g.vault.kernel.Note(g.w, g.caller, audit.Entry{Act: audit.Propose}, rec.ID)
}

// runtimeOf names the runtime or agent that submits a proposal.
func runtimeOf(c memory.Caller) string {
	if c.Grant != nil && c.Grant.Runtime != nil && c.Grant.Runtime.Name != "" {
		return c.Grant.Runtime.Name
	}
	if c.Agent != "" {
		return c.Agent
	}
	return "agent"
}

func submitter(k engram.Constraint) string { return k.Value.Get(runtimeMember).Text() }

// waitingConstraints returns the waiting constraints, oldest first.
func (h beliefSet) waitingConstraints(ctx context.Context) ([]waitingConstraint, error) {
	var all []waitingConstraint
	err := vault.EachPage(ctx, h.rows, store.Filter{Statuses: []memory.Status{memory.Candidate}}, func(rows []store.Row) error {
		for _, row := range rows {
			rec, damage, err := h.vault.kernel.Read(h.rows, row)
			if err != nil {
				return err
			}
			if damage != nil || roleOf(rec) != constraintRole {
				continue
			}
			id := rec.ID
			rec.Lifecycle.Status = memory.Active
			if k, ok := h.tell.Constraint(rec); ok {
				k.Status = string(engram.Pending)
				all = append(all, waitingConstraint{k, id})
			}
		}
		return nil
	})
	return all, err
}

// Constraints lists the constraints to the owner, oldest first: all, or only the waiting
// ones, which have the status pending. It leaves deleted constraints out. The owner sees
// constraints whatever edition the contexts have (decision E-46).
func (s *Service) Constraints(ctx context.Context, c memory.Caller, waiting bool) ([]engram.Constraint, error) {
	const op = "constraints"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	var all []engram.Constraint
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		now := vault.Instant(s.kernel.Now())
		h := s.emptySet(r, c, now)
		if !waiting {
			whole, err := s.loadSet(ctx, r, c, now)
			if err != nil {
				return err
			}
			if all, err = whole.constraintsHere(); err != nil {
				return err
			}
		}
		list, err := h.waitingConstraints(ctx)
		for _, k := range list {
			all = append(all, k.Constraint)
		}
		return err
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// constraintsHere returns the constraints that were set and not deleted, in the order in
// which they began.
func (h beliefSet) constraintsHere() ([]engram.Constraint, error) {
	var all []engram.Constraint
	for _, l := range h.all.list {
		head := l.unhidden().head(moment{at: h.now})
		if head < 0 || l.versions[head].role() != constraintRole {
			continue
		}
		rec, err := h.stored(l.versions[head].id)
		if err != nil {
			return nil, err
		}
		if k, ok := h.tell.Constraint(rec); ok && k.Status != string(engram.Deleted) {
			all = append(all, k)
		}
	}
	return all, nil
}

// ResolveConstraint confirms or rejects a waiting constraint; only the owner may. A
// confirmed constraint is in force at once, and its set_by is user_confirmed.
func (s *Service) ResolveConstraint(ctx context.Context, c memory.Caller, id string, confirm bool) (engram.Constraint, error) {
	update := s.kernel.Store().Update
	if !confirm {
		update = s.kernel.Lessen
	}
	var done engram.Constraint
	err := s.govern(ctx, c, "resolve", update, func(g beliefTx) error {
		list, err := g.waitingConstraints(ctx)
		if err != nil {
			return err
		}
		for _, k := range list {
			if k.ID == id {
				done, err = g.settleConstraint(k, confirm)
				return err
			}
		}
		return noConstraint(id)
	})
	return done, err
}

func noConstraint(id string) error {
	return &engram.Fault{Code: engram.ConstraintNotFound, Rule: "ENGRAM-3.9-ERR-12", Detail: "No constraint with id " + shortened(id) + " waits for this user"}
}

// settleConstraint resolves a waiting constraint and removes its candidate record.
func (g beliefTx) settleConstraint(k waitingConstraint, confirm bool) (engram.Constraint, error) {
	act := audit.Reject
	if confirm {
		act = audit.Approve
	}
	if err := g.vault.kernel.Note(g.w, g.caller, audit.Entry{Act: act}, k.record); err != nil {
		return k.Constraint, err
	}
	if err := g.forget(memory.ForgetRequest{ID: k.record, Hard: true}, ""); err != nil {
		return k.Constraint, err
	}
	if !confirm {
		k.Status = string(engram.Rejected)
		return k.Constraint, nil
	}
	k.Value = k.Value.Without(runtimeMember)
	k.SetBy, k.Status = "user_confirmed", string(engram.Active)
	return g.constrain(k.Constraint)
}
