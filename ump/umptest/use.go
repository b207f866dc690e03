package umptest

import (
	"context"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var (
	_ ump.Learner    = (*Vault)(nil)
	_ ump.Rehydrator = (*Vault)(nil)
)

// Feedback stores an outcome.
func (v *Vault) Feedback(ctx context.Context, c memory.Caller, id memory.ID, outcome, _ string) error {
	if err := v.checkLevel(ctx, "feedback", c); err != nil {
		return err
	}
	if !c.Speaks() && !c.Grant.Allows(memory.DeriveVerb) && !c.Grant.Allows(memory.WriteVerb) {
		return refusal(memory.ForbiddenScope, "", "that is not granted: derive or write")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.find(c, id); err != nil {
		return err
	}
	v.lessons[id] = append(v.lessons[id], outcome)
	return nil
}

// Lessons returns the outcomes of a record, in their order.
func (v *Vault) Lessons(id memory.ID) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.lessons[id])
}

// Rehydrate frames recalled records as those of a source that does not sign, at every
// level. Its nonce is a count.
func (v *Vault) Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Frame, error) {
	if err := v.before(ctx, "rehydrate", c); err != nil {
		return memory.Frame{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	scope, err := authorize(c, memory.ReadVerb, q.Scope)
	if err != nil {
		return memory.Frame{}, err
	}
	q.Scope = scope
	var records []memory.Record
	for _, hit := range v.recall(c, q) {
		records = append(records, hit.Record)
	}
	return ump.Frame(records, ump.FrameOptions{
		Owner: c.Owner, Public: !c.Speaks(), Nonce: v.word(), Budget: q.Budget, Now: v.now,
	})
}

// Find returns the ID that equals name or begins with it.
func (v *Vault) Find(_ context.Context, c memory.Caller, name string) (memory.ID, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := authorize(c, memory.ReadVerb, memory.Scope{}); err != nil {
		return "", err
	}
	id := memory.ID(memory.IDPrefix + strings.TrimPrefix(name, memory.IDPrefix))
	if _, err := v.find(c, id); err == nil {
		return id, nil
	}
	cause := &memory.AmbiguousID{Name: name}
	for _, r := range v.sorted() {
		if strings.HasPrefix(string(r.ID), string(id)) && sees(c, r) {
			cause.Candidates = append(cause.Candidates, r)
		}
	}
	switch len(cause.Candidates) {
	case 0:
		return "", refusal(memory.NotFound, "/id", "there is no such record")
	case 1:
		return cause.Candidates[0].ID, nil
	}
	return "", &memory.Error{Kind: memory.InvalidRecord, Path: "/id", Message: cause.Error(), Err: cause}
}

// ShortIDs shortens IDs among all records that the caller may see.
func (v *Vault) ShortIDs(_ context.Context, c memory.Caller, ids []memory.ID) (map[memory.ID]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := authorize(c, memory.ReadVerb, memory.Scope{}); err != nil {
		return nil, err
	}
	var beside []memory.ID
	for _, r := range v.sorted() {
		if sees(c, r) {
			beside = append(beside, r.ID)
		}
	}
	return memory.ShortIDs(ids, beside...), nil
}
