package server

import (
	"context"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/takeback"
	"github.com/satchel-memory/satchel/memory"
)

// RememberText stores a new memory in the owner's own words, seen by the owner alone.
func (p ownerPages) RememberText(ctx context.Context, c memory.Caller, n pages.NewMemory) (pages.Changed, error) {
	done, err := p.Remember(ctx, c, memory.Draft{Record: memory.Record{
		Kind: n.Kind, Body: memory.Body{Text: n.Text},
		Scope:      memory.Scope{Owner: c.Owner, Project: n.Project, Visibility: memory.Private},
		Provenance: &memory.Provenance{Actor: string(c.Owner), ActorKind: memory.ByUser, Method: "remember"},
	}})
	return pages.Changed{ID: done.ID, Known: done.Outcome == memory.Merged, Masked: len(done.Warnings) > 0}, err
}

// CorrectText replaces a memory by a version with another text and kind.
func (p ownerPages) CorrectText(ctx context.Context, c memory.Caller, id memory.ID, text string, kind memory.Kind) (pages.Changed, error) {
	patch := canon.Object(canon.Member{Name: "body", Value: canon.Object(canon.Member{Name: "text", Value: canon.String(text)})})
	if kind != "" {
		patch = patch.With("kind", canon.String(string(kind)))
	}
	name := vault.NewUndoName()
	done, err := p.Revise(vault.WithUndoName(ctx, name), c, memory.Revision{ID: id, Patch: patch.Append(nil)})
	return pages.Changed{ID: done.ID, Undo: name, Masked: len(done.Warnings) > 0}, err
}

// ForgetThese forgets memories, in one act.
func (p ownerPages) ForgetThese(ctx context.Context, c memory.Caller, all bool, ids ...memory.ID) (undo string, err error) {
	name := vault.NewUndoName()
	for _, id := range ids {
		if _, err := p.Forget(vault.WithUndoName(ctx, name), c, memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Chain: all}); err != nil {
			return undo, err
		}
		undo = name
	}
	return undo, nil
}

// SayWrong notes that a memory was wrong.
func (p ownerPages) SayWrong(ctx context.Context, c memory.Caller, id memory.ID) error {
	return p.Feedback(ctx, c, id, "contradicted", "")
}

// Erase erases every version of a memory.
func (p ownerPages) Erase(ctx context.Context, c memory.Caller, id memory.ID) (cleared bool, err error) {
	how, err := p.Forget(ctx, c, memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true, Chain: true})
	return how == memory.AsErased, err
}

// EraseAll erases everything of an owner.
func (p ownerPages) EraseAll(ctx context.Context, c memory.Caller) (cleared bool, err error) {
	done, err := p.EraseBrain(ctx, c)
	return !done.Pending, err
}

// LastAct names what can be taken back of a memory.
func (p ownerPages) LastAct(ctx context.Context, c memory.Caller, id memory.ID) (string, error) {
	return takeback.New(p.Vault).Of(ctx, c, id)
}

// TakeBack takes an act back.
func (p ownerPages) TakeBack(ctx context.Context, c memory.Caller, name string) (u pages.Undone, err error) {
	if name == "" { // that would be the latest
		return u, &memory.Error{Kind: memory.NotFound, Op: "undo", Message: "the form names nothing to take back"}
	}
	done, err := takeback.New(p.Vault).Undo(ctx, c, name)
	u.Waits = slices.Contains([]vault.UndoAct{vault.UndoConfirm, vault.UndoReject}, done.Did)
	if err != nil || len(done.Records) != 1 || done.Did != vault.UndoForget {
		return u, err
	}
	u.ID = done.Records[0]
	if rec, err := p.Get(ctx, c, u.ID, memory.CurrentView); err == nil && rec.Lifecycle.Status == memory.Candidate {
		u.Waits = true // it was rejected
	}
	return u, nil
}
