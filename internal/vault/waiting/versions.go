package waiting

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// withVersions adds the versions of memories that machines made apart.
func (s *Service) withVersions(ctx context.Context, c memory.Caller, all []Item) ([]Item, error) {
	k := vault.KernelOf(s.vault)
	if err := k.MayOwn("waiting", c); err != nil {
		return nil, err
	}
	var forks []vault.Fork
	err := k.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		forks, err = vault.Forks(k, r, vault.Instant(k.Now()))
		return err
	})
	for _, f := range forks {
		for i := range f.Versions {
			one := Item{ID: string(f.Versions[i].ID), Version: &f.Versions[i]}
			one.Others = slices.Delete(slices.Clone(f.Versions), i, i+1)
			all = append(all, one)
		}
	}
	return all, k.Refusal(c, "waiting", "", err)
}

// settleOn makes a record that replaces all versions and says what one of them does, or
// something else.
func (s *Service) settleOn(ctx context.Context, c memory.Caller, i Item, text string) (memory.RememberResult, error) {
	kept := *i.Version
	next := memory.Record{
		Kind: kept.Kind, Body: kept.Body, Scope: kept.Scope, Consent: kept.Consent, Relations: kept.Relations,
		Lifecycle:  memory.Lifecycle{Confidence: kept.Lifecycle.Confidence, Salience: kept.Lifecycle.Salience, Decay: kept.Lifecycle.Decay},
		Supersedes: append([]memory.ID{kept.ID}, idsOf(i.Others)...),
	}
	if text != "" {
		next.Body.Text = text
	}
	return s.vault.Remember(ctx, c, memory.Draft{Record: next})
}

// keepAll keeps all versions beside each other, so that they do not wait any more.
func (s *Service) keepAll(ctx context.Context, c memory.Caller, i Item) error {
	const op = "reject"
	k := vault.KernelOf(s.vault)
	if err := errors.Join(k.MayWrite(op, c), k.MayOwn(op, c)); err != nil {
		return err
	}
	err := k.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		row, err := w.Row(i.Version.ID)
		if err != nil {
			return err
		}
		f, waits, err := vault.ForkOf(k, w, row.Columns.Lineage, vault.Instant(k.Now()))
		if err != nil || !waits {
			return err
		}
		return vault.KeepApart(w, f)
	})
	return k.Refusal(c, op, i.Version.ID, err)
}

func idsOf(records []memory.Record) []memory.ID {
	ids := make([]memory.ID, 0, len(records))
	for _, rec := range records {
		ids = append(ids, rec.ID)
	}
	slices.SortFunc(ids, func(a, b memory.ID) int { return strings.Compare(string(a), string(b)) })
	return ids
}
