package server

import (
	"context"
	"strings"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/waiting"
	"github.com/satchel-memory/satchel/memory"
)

// Waits lists what waits for the owner.
func (p ownerPages) Waits(ctx context.Context, c memory.Caller) ([]pages.Waiting, error) {
	list, err := waiting.New(p.Vault).List(ctx, c, false)
	out := make([]pages.Waiting, len(list))
	for i, item := range list {
		out[i] = waitingOf(item)
	}
	return out, err
}

// waitingOf puts an item in the terms of the pages.
func waitingOf(i waiting.Item) pages.Waiting {
	w := pages.Waiting{ID: i.ID, Becomes: i.Proposes(), By: i.By(), Source: i.Source(), At: i.At()}
	switch {
	case i.Correction != nil:
		k := i.Correction
		w.Kind, w.About, w.Was, w.Because = pages.ACorrection, k.Key, k.Old, k.Context
		if k.Now != k.Old && k.Now != k.New {
			w.Now = k.Now
		}
	case i.Fact != nil:
		w.Kind, w.Memory = pages.AFact, i.Fact.ID
		for _, r := range i.Fact.Relations {
			if r.Type == memory.DerivedFrom && vault.IsRecord(r.Target) {
				w.Rests = memory.ID(r.Target)
			}
		}
	case i.Version != nil:
		w.Kind, w.About, w.Memory = pages.AVersion, "a memory that was revised on several machines apart", i.Version.ID
		for _, other := range i.Others {
			w.Was = strings.TrimPrefix(w.Was+" / "+other.Body.Text, " / ")
		}
		w.Because = "Both hold until you decide. Confirm lets this one replace the others, Reject keeps all of them."
	default:
		w.Kind, w.Because = pages.ARule, i.Rule.Note
	}
	return w
}

// Decide decides what waits, as one act.
func (p ownerPages) Decide(ctx context.Context, c memory.Caller, d pages.Decision) (undo string, err error) {
	return waiting.New(p.Vault).DecideAll(ctx, c, d.IDs, d.Confirm, d.Text)
}
