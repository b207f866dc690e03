package umptest

import (
	"context"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Revise makes a successor of a record and closes the record.
func (v *Vault) Revise(ctx context.Context, c memory.Caller, change memory.Revision) (memory.RevisionResult, error) {
	if err := v.before(ctx, "revise", c); err != nil {
		return memory.RevisionResult{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	prior, err := v.writable(c, change.ID)
	if err != nil {
		return memory.RevisionResult{}, err
	}
	if prior.Lifecycle.Status == memory.Tombstoned {
		return memory.RevisionResult{}, refusal(memory.InvalidRecord, "/id", "a forgotten record has no successor")
	}
	next, err := patched(prior, change.Patch)
	if err != nil {
		return memory.RevisionResult{}, err
	}
	if c.Role == memory.Peer && next.Scope != prior.Scope {
		return memory.RevisionResult{}, refusal(memory.ForbiddenScope, "/patch/scope", "a token does not move a record")
	}
	next.ID, next.Supersedes, next.SupersededBy = v.id(), []memory.ID{prior.ID}, nil
	next.Time = memory.Times{Created: v.tick(), ValidFrom: next.Time.ValidFrom}
	if next.Time.ValidFrom.Equal(prior.Time.ValidFrom) {
		next.Time.ValidFrom = next.Time.Created
	}
	prior.Time.ValidTo, prior.SupersededBy = next.Time.ValidFrom, append(prior.SupersededBy, next.ID)
	v.records[prior.ID], v.records[next.ID] = prior, next
	v.logEvent(memory.WasRevised, next)
	return memory.RevisionResult{ID: next.ID, Supersedes: next.Supersedes}, nil
}

// patched applies a merge patch to a record.
func patched(r memory.Record, patch []byte) (memory.Record, error) {
	form, err := ump.Encode(r)
	if err != nil {
		return memory.Record{}, err
	}
	before, err := canon.Parse(form, canon.Options{})
	if err != nil {
		return memory.Record{}, err
	}
	change, err := canon.Parse(patch, canon.Options{})
	if err != nil {
		return memory.Record{}, refusal(memory.InvalidRecord, "/patch", "the patch is not JSON")
	}
	next, err := ump.Decode(canon.MergePatch(before, change).Append(nil), codec.Options{})
	next.Origin, next.Current = nil, nil
	return next, err
}

// Forget makes a record a tombstone. If the owner asks for hard, it removes the record.
func (v *Vault) Forget(ctx context.Context, c memory.Caller, f memory.ForgetRequest) (memory.ForgetOutcome, error) {
	if err := v.before(ctx, "forget", c); err != nil {
		return "", err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	r, err := v.writable(c, f.ID)
	switch {
	case err != nil:
		return "", err
	case f.Hard && c.Role < memory.Owner:
		return "", refusal(memory.ForbiddenScope, "/hard", "only the owner erases")
	case f.Hard:
		delete(v.records, f.ID)
		v.logEvent(memory.WasErased, r)
		return memory.AsErased, nil
	}
	r.Lifecycle.Status = memory.Tombstoned
	v.records[r.ID] = r
	v.logEvent(memory.WasTombstoned, r)
	return memory.AsTombstone, nil
}

// writable returns a record that the caller may change.
func (v *Vault) writable(c memory.Caller, id memory.ID) (memory.Record, error) {
	if _, err := authorize(c, memory.WriteVerb, memory.Scope{}); err != nil {
		return memory.Record{}, err
	}
	return v.find(c, id)
}

// Export yields the owner's active records, oldest first.
func (v *Vault) Export(ctx context.Context, c memory.Caller, yield func(memory.Record) error) ([]codec.Loss, error) {
	if err := v.before(ctx, "export", c); err != nil {
		return nil, err
	}
	if _, err := authorize(c, memory.ExportVerb, memory.Scope{}); err != nil {
		return nil, err
	}
	v.mu.Lock()
	all := v.sorted()
	v.mu.Unlock()
	for _, r := range all {
		if r.Scope.Owner != c.Owner || !sees(c, r) || r.Lifecycle.Status.Or() != memory.Active {
			continue
		}
		if err := v.before(ctx, "export record", c); err != nil {
			return nil, err
		}
		if err := yield(r); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Brief returns the active records of a project and of no project, one per line.
func (v *Vault) Brief(ctx context.Context, c memory.Caller, project string, _ int) (string, error) {
	if err := v.before(ctx, "brief", c); err != nil {
		return "", err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var b strings.Builder
	b.WriteString("untrusted memory of " + string(c.Owner) + ":\n")
	for _, r := range v.sorted() {
		if sees(c, r) && matches(memory.Query{Scope: memory.Scope{Project: project}}, r) {
			b.WriteString("- " + r.Body.Text + "\n")
		}
	}
	return b.String(), nil
}

// Ready reports whether the vault answers. It names no machine.
func (v *Vault) Ready(ctx context.Context) ([]string, error) {
	return nil, v.before(ctx, "ready", memory.Caller{})
}

// matches reports whether the record passes the query's filter (UMP 3.2).
func matches(q memory.Query, r memory.Record) bool {
	if p := r.Scope.Project; p != "" && q.Scope.Project != "" && p != q.Scope.Project {
		return false
	}
	if r.Lifecycle.Status.Or() != memory.Active {
		return false
	}
	if at := q.Filter.ValidAt; !at.IsZero() && !r.Time.ValidAt(at) || at.IsZero() && !r.Time.ValidTo.Equal(time.Time{}) {
		return false
	}
	for _, kind := range q.Filter.Kinds {
		if kind == r.Kind {
			return true
		}
	}
	return len(q.Filter.Kinds) == 0
}

func overlap(words []string, text string) float64 {
	found := 0
	for _, word := range words {
		if strings.Contains(strings.ToLower(text), word) {
			found++
		}
	}
	return float64(found) / float64(max(1, len(words)))
}

func limit(n int) int {
	if n == 0 {
		return 8
	}
	return min(n, 50)
}
