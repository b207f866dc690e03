// Package waiting keeps the one list of what waits for an owner: corrections of beliefs,
// found facts, rules that assistants submitted, and versions of a memory that machines made
// apart. Whatever it is, the owner confirms or rejects it in the same way.
package waiting

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// Service lists and decides what waits for the owners of one vault. It is safe for
// concurrent use.
type Service struct {
	vault   *vault.Vault
	beliefs *belief.Service
}

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{v, belief.Of(v)} }

// Item is one thing that waits, or a correction that was decided. Exactly one of
// Correction, Fact, Rule and Version is set.
type Item struct {
	ID         string // of the correction or rule, or of the record
	Correction *engram.Case
	Fact       *memory.Record
	Rule       *engram.Constraint
	// Version is one of several current versions of a memory, and Others are the others.
	// Confirming it lets it replace them; rejecting it keeps them all.
	Version *memory.Record
	Others  []memory.Record
}

// List returns what waits for the caller, the owner in person, oldest first. With decided,
// it returns corrections that were decided as well.
func (s *Service) List(ctx context.Context, c memory.Caller, decided bool) ([]Item, error) {
	cases, err := s.beliefs.Corrections(ctx, c, !decided)
	if err != nil {
		return nil, err
	}
	facts, err := s.vault.Waiting(ctx, c)
	if err != nil {
		return nil, err
	}
	rules, err := s.beliefs.Constraints(ctx, c, true)
	if err != nil {
		return nil, err
	}
	var all []Item
	for i := range cases {
		all = append(all, Item{ID: cases[i].ID, Correction: &cases[i]})
	}
	for i := range facts {
		all = append(all, Item{ID: string(facts[i].ID), Fact: &facts[i]})
	}
	for i := range rules {
		all = append(all, Item{ID: rules[i].ID, Rule: &rules[i]})
	}
	if all, err = s.withVersions(ctx, c, all); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Item) int { return a.At().Compare(b.At()) })
	return all, nil
}

// DecideAll confirms or rejects what waits under the given ids, as one act; text replaces
// what each confirmed thing says, unless it is empty. The caller is the owner in person. undo
// names the act, empty if nothing can be taken back: rules cannot. After a failure, what was
// decided before it stays, and undo names that. An id under which nothing waits is a failure
// of kind NotFound.
func (s *Service) DecideAll(ctx context.Context, c memory.Caller, ids []string, confirm bool, text string) (undo string, err error) {
	list, err := s.List(ctx, c, false)
	if err != nil {
		return "", err
	}
	waits := make(map[string]Item, len(list))
	for _, i := range list {
		waits[strings.TrimPrefix(i.ID, memory.IDPrefix)] = i
	}
	name := vault.NewUndoName()
	ctx = vault.WithUndoName(ctx, name)
	for _, id := range ids {
		item, ok := waits[strings.TrimPrefix(id, memory.IDPrefix)]
		if !ok {
			return undo, &memory.Error{Kind: memory.NotFound, Op: "waiting", Message: "nothing waits under this id: it may be decided already"}
		}
		if confirm {
			_, err = s.Confirm(ctx, c, item, text, "")
		} else {
			_, err = s.Reject(ctx, c, item, "")
		}
		if err != nil {
			return undo, err
		}
		delete(waits, strings.TrimPrefix(id, memory.IDPrefix))
		for _, other := range item.Others { // decided with it
			delete(waits, strings.TrimPrefix(string(other.ID), memory.IDPrefix))
		}
		if item.Rule == nil && item.Version == nil {
			undo = name
		}
	}
	return undo, nil
}

// At returns when an item was proposed.
func (i Item) At() time.Time {
	switch {
	case i.Correction != nil:
		return i.Correction.CorrectedAt
	case i.Fact != nil:
		return i.Fact.Time.Created
	case i.Version != nil:
		return i.Version.Time.Created
	}
	return i.Rule.CreatedAt
}

// Proposes returns what the memory would say.
func (i Item) Proposes() string {
	switch {
	case i.Correction != nil:
		return i.Correction.New
	case i.Fact != nil:
		return i.Fact.Body.Text
	case i.Version != nil:
		return i.Version.Body.Text
	}
	return i.Rule.Rule
}

// By names who proposed an item.
func (i Item) By() string {
	switch {
	case i.Correction != nil && i.Correction.By == engram.BySystem:
		return "a contradiction"
	case i.Correction != nil:
		return cmp.Or(i.Correction.Runtime, string(i.Correction.By))
	case i.Fact != nil && i.Fact.Provenance != nil:
		return i.Fact.Provenance.Actor
	case i.Rule != nil:
		return i.Rule.Value.Get("runtime_id").Text()
	}
	return ""
}

// Source names the conversation or document in which a fact was found, "" if none is named.
func (i Item) Source() string {
	if i.Fact == nil || i.Fact.Provenance == nil || i.Fact.Provenance.Source == nil {
		return ""
	}
	return i.Fact.Provenance.Source.Ref
}

// Decision is what became of an item.
type Decision struct {
	Item                  // as it is now; a fact as it was proposed
	Record    memory.ID   // the memory that a confirmed fact became
	Replaced  []memory.ID // by Record
	Confirmed bool
}

// Confirm puts what waits in force, with another text unless that is empty; only the owner
// in person may. A rule's text cannot be changed.
func (s *Service) Confirm(ctx context.Context, c memory.Caller, i Item, text, note string) (d Decision, err error) {
	d = Decision{Item: i, Confirmed: true}
	switch {
	case i.Correction != nil && text != "" && text != i.Correction.New:
		return d.decided(s.beliefs.ConfirmAs(ctx, c, i.ID, text, note))
	case i.Correction != nil:
		return d.decided(s.beliefs.Resolve(ctx, c, i.ID, true, note))
	case i.Fact != nil:
		if text == i.Fact.Body.Text {
			text = ""
		}
		done, err := s.vault.Revise(ctx, c, memory.Revision{ID: i.Fact.ID, Patch: holding(*i.Fact, text)})
		d.Record, d.Replaced = done.ID, done.Supersedes
		return d, err
	case i.Version != nil:
		done, err := s.settleOn(ctx, c, i, text)
		d.Record, d.Replaced = done.ID, append(idsOf(i.Others), i.Version.ID)
		return d, err
	}
	if text != "" && text != i.Rule.Rule {
		return d, vault.Invalid("confirm", "/text", "", "a rule is confirmed as it is: reject this one and add yours")
	}
	rule, err := s.beliefs.ResolveConstraint(ctx, c, i.ID, true)
	d.Rule = &rule
	return d, err
}

// Reject leaves things as they are; only the owner in person may.
func (s *Service) Reject(ctx context.Context, c memory.Caller, i Item, note string) (d Decision, err error) {
	d = Decision{Item: i}
	switch {
	case i.Correction != nil:
		return d.decided(s.beliefs.Resolve(ctx, c, i.ID, false, note))
	case i.Fact != nil:
		_, err = s.vault.Forget(ctx, c, memory.ForgetRequest{ID: i.Fact.ID, Reason: memory.Incorrect, Note: note})
		return d, err
	case i.Version != nil:
		return d, s.keepAll(ctx, c, i)
	}
	rule, err := s.beliefs.ResolveConstraint(ctx, c, i.ID, false)
	d.Rule = &rule
	return d, err
}

// decided returns d with the correction as it is now.
func (d Decision) decided(now engram.Case, err error) (Decision, error) {
	d.Correction = &now
	return d, err
}
