package belief

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Constrain sets a constraint (edition 0.1.2, section 3.7): a new one, or a new form of
// the constraint with the given id. It is in force at once, by the owner's word.
func (s *Service) Constrain(ctx context.Context, c memory.Caller, k engram.Constraint) (engram.Constraint, error) {
	k, err := checkedConstraint(k)
	if err != nil {
		return engram.Constraint{}, err
	}
	vault.MaskTexts(c, &k.Rule, &k.Note)
	var done engram.Constraint
	err = s.govern(ctx, c, "constrain", s.kernel.Store().Update, func(g beliefTx) error {
		done, err = g.constrain(k)
		return err
	})
	return done, err
}

// checkedConstraint fills in the defaults of a constraint and refuses an invalid one.
func checkedConstraint(k engram.Constraint) (engram.Constraint, error) {
	if k.SetBy == "" {
		k.SetBy = "user_stated"
	}
	if k.Status == "" {
		k.Status = string(engram.Active)
	}
	if k.Category == "" {
		k.Category = "custom"
	}
	switch {
	case checkText("rule", k.Rule) != nil:
		return k, checkText("rule", k.Rule)
	case !slices.Contains([]string{"communication", "content", "data", "behaviour", "safety", "custom"}, k.Category):
		return k, wrongRequest("ENGRAM-3.9-ERR-7", "the category of a constraint is communication, content, data, behaviour, safety or custom")
	case k.SetBy != "user_stated" && k.SetBy != "user_confirmed":
		return k, wrongRequest("ENGRAM-3.9-ERR-7", "set_by is user_stated or user_confirmed")
	case k.Status != string(engram.Active) && k.Status != "suspended":
		return k, wrongRequest("ENGRAM-3.9-ERR-7", "a constraint that is set is active or suspended")
	case k.ID != "" && !engram.IsID(k.ID):
		return k, wrongRequest("ENGRAM-3.4-1", "the id of a constraint is a UUIDv4: leave it out to be given one")
	}
	return k, nil
}

// checkText refuses an empty text, and one longer than maxProposed.
func checkText(member, s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return wrongRequest("ENGRAM-3.4-6", member+" is empty")
	case len(s) > maxProposed:
		return wrongRequest("ENGRAM-3.4-6", member+" is too long")
	}
	return nil
}

func (g beliefTx) constrain(k engram.Constraint) (engram.Constraint, error) {
	was, have, err := g.constraint(k.ID)
	if err != nil {
		return k, err
	}
	as := store.Revised
	switch {
	case was == nil:
		if k, err = g.newConstraint(k); err != nil {
			return k, err
		}
		as = store.Created
	case have.Status == string(engram.Deleted):
		return k, idUsed(k.ID)
	default:
		k.CreatedAt = have.CreatedAt
	}
	rec, err := g.tell.ConstraintRecord(k)
	if err != nil {
		return k, err
	}
	if was != nil {
		rec.Supersedes = []memory.ID{was.ID}
		rec.Scope, rec.Consent = was.Scope, was.Consent
		rec.Time = memory.Times{Created: g.now, Observed: g.now, ValidFrom: g.now}
	}
	_, err = g.lay(rec, as)
	return k, err
}

func (g beliefTx) newConstraint(k engram.Constraint) (engram.Constraint, error) {
	k.CreatedAt = g.now
	if k.ID == "" {
		id, err := engram.NewID(rand.Reader)
		k.ID = id
		return k, err
	}
	return k, g.unused(k.ID)
}

// constraint returns the record of a constraint and its content; nil: there is none.
func (g beliefTx) constraint(id string) (*memory.Record, engram.Constraint, error) {
	at, ok := g.index.constraints[id]
	if !ok {
		return nil, engram.Constraint{}, nil
	}
	rec, err := g.stored(at)
	if err != nil {
		return nil, engram.Constraint{}, err
	}
	k, _ := g.tell.Constraint(rec)
	return &rec, k, nil
}

// Unconstrain deletes a constraint. A tombstone stays, and the id is never used again.
func (s *Service) Unconstrain(ctx context.Context, c memory.Caller, id string) (engram.Tombstone, error) {
	gone := engram.Tombstone{ID: id}
	err := s.govern(ctx, c, "unconstrain", s.kernel.Lessen, func(g beliefTx) error {
		rec, k, err := g.constraint(id)
		if err != nil {
			return err
		}
		if rec == nil || k.Status == string(engram.Deleted) {
			return &engram.Fault{Code: engram.ConstraintNotFound, Rule: "ENGRAM-3.9-ERR-12", Detail: "No constraint with id " + shortened(id) + " exists for this user"}
		}
		gone.DeletedAt = g.now
		return g.forgetChain(rec.ID)
	})
	return gone, err
}

// unused refuses an id that a belief or constraint has, or had before its deletion
// (ENGRAM-3.4-3).
func (g beliefTx) unused(id string) error {
	if id != "" && (g.find(id) != nil || g.index.constraints[id] != "" || g.index.gone[id]) {
		return idUsed(id)
	}
	return nil
}

func idUsed(id string) error {
	return wrongRequest("ENGRAM-3.4-3", "the id "+shortened(id)+" is taken, and ids are never used again")
}
