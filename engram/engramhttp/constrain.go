package engramhttp

import (
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// constrain sets a constraint (edition 0.1.2, section 3.10). The owner's constraint is in
// force at once; anybody else's waits for the owner.
func (h *Handler) constrain(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	body, err := h.bodyForWrite(r, c, h.options.MaxBody)
	if err != nil {
		return err
	}
	k, err := constraintOf(body)
	if err != nil {
		return err
	}
	masked := redact.Mask(&k.Rule, &k.Note)
	set := h.constrains.ProposeConstraint
	if c.Role == memory.Owner {
		set = h.constrains.Constrain
	}
	if k, err = set(r.Context(), c, k); err != nil {
		return unknownUser(err)
	}
	said := []canon.Member{member("constraint_id", k.ID), member("rule", k.Rule), member("status", k.Status), member("created_at", engram.FormatInstant(k.CreatedAt))}
	message := ""
	if k.Status == string(engram.Pending) {
		message = "Constraint recorded. It binds nobody until the user confirms it."
	}
	message += maskedNote(masked)
	if engram.DescribesPerson(k.Rule) {
		message += " The rule describes the user; a constraint tells assistants what to do, such as \"Never use emoji\"."
	}
	if message != "" {
		said = append(said, member("message", strings.TrimSpace(message)))
	}
	send(w, http.StatusCreated, canon.Object(said...).Append(nil))
	return nil
}

// ruleOfConstraints names the section of edition 0.1.2 that defines constraints.
const ruleOfConstraints = "ENGRAM-0.1.2-3.7"

// constraintOf reads the members of a new constraint.
func constraintOf(body canon.Value) (k engram.Constraint, err error) {
	fields := []struct {
		to       *string
		name     string
		most     int
		required bool
	}{
		{&k.Rule, "rule", maxValue, true}, {&k.Category, "category", 64, true}, {&k.SetBy, "set_by", 64, true},
		{&k.Scope, "scope", maxBelief, false}, {&k.Note, "note", maxNote, false},
	}
	for _, f := range fields {
		if *f.to, err = text(body, f.name, f.most, f.required, ruleOfConstraints); err != nil {
			return k, err
		}
	}
	switch {
	case slices.Contains([]string{"legal", "operator"}, k.SetBy):
		return k, invalid(ruleOfConstraints, "set_by "+k.SetBy+" is reserved: constraints are user_stated or user_confirmed")
	case k.Scope != "" && !engram.IsRuntimeURI(k.Scope):
		return k, invalid(ruleOfConstraints, "scope is the URI of the runtimes that the constraint binds: https, did or urn")
	case strings.ContainsFunc(k.Rule, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }):
		return k, invalid(ruleOfConstraints, "rule is a sentence, without control characters")
	}
	return k, nil
}

// unconstrain deletes a constraint and leaves a tombstone in every context. A runtime must
// not remove a person's hard rule.
func (h *Handler) unconstrain(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if _, err := h.forOwner(r, c, "takes a constraint back"); err != nil {
		return err
	}
	id := r.PathValue("id")
	gone, err := h.constrains.Unconstrain(r.Context(), c, id)
	if err != nil {
		return unknownConstraint(err, id)
	}
	send(w, http.StatusOK, canon.Object(
		member("constraint_id", gone.ID), member("status", string(engram.Deleted)), member("deleted_at", engram.FormatInstant(gone.DeletedAt)),
	).Append(nil))
	return nil
}

// unknownConstraint says that this caller has no such constraint.
func unknownConstraint(err error, id string) error {
	if memory.KindOf(err) == memory.NotFound {
		return &engram.Fault{Code: engram.ConstraintNotFound, Rule: ruleOfConstraints, Detail: "No constraint with id " + strings.Trim(quoted(id), `"`) + " exists for this user"}
	}
	return err
}

// constraints lists constraints to the owner, whatever the edition of contexts (decision
// E-46).
func (h *Handler) constraints(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	p, err := h.forOwner(r, c, "sees constraints that wait", "status")
	if err != nil {
		return err
	}
	waiting, err := onlyWaiting(p)
	if err != nil {
		return err
	}
	list, err := h.constrains.Constraints(r.Context(), c, waiting)
	if err != nil {
		return unknownUser(err)
	}
	sendList(w, "constraints", list, engram.Constraint.Wire)
	return nil
}

// decideConstraint confirms or rejects a waiting constraint.
func decideConstraint(confirm bool) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(h *Handler, w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if _, err := h.forOwner(r, c, "decides on constraints"); err != nil {
			return err
		}
		if _, err := h.bodyOf(r, false); err != nil {
			return err
		}
		id := r.PathValue("id")
		k, err := h.constrains.ResolveConstraint(r.Context(), c, id, confirm)
		if err != nil {
			return unknownConstraint(err, id)
		}
		send(w, http.StatusOK, k.Wire().Append(nil))
		return nil
	}
}
