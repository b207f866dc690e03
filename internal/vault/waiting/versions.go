package waiting

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

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
	forks := map[string][]memory.Record{} // by lineage
	err := k.Store().View(ctx, c.Owner, func(r store.Reader) error {
		return vault.EachBeside(r, store.AttachmentFilter{Space: vault.ForkSpace}, func(a store.Attachment) (err error) {
			forks[a.Key], err = vault.VersionsApart(k, r, memory.ID(a.Key), vault.Instant(k.Now()))
			return err
		})
	})
	for _, lineage := range slices.Sorted(maps.Keys(forks)) {
		versions := forks[lineage]
		for i := range versions {
			others := slices.Delete(slices.Clone(versions), i, i+1)
			all = append(all, Item{ID: string(versions[i].ID), Version: &versions[i], Others: others})
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
		versions, err := vault.VersionsApart(k, w, row.Columns.Lineage, vault.Instant(k.Now()))
		if err != nil || len(versions) == 0 {
			return err
		}
		kept, err := json.Marshal(idsOf(versions))
		if err != nil {
			return err
		}
		return store.PutAttachment(w, store.Attachment{Space: vault.KeptSpace, Key: string(row.Columns.Lineage), Data: kept})
	})
	return k.Refusal(c, op, i.Version.ID, err)
}

func idsOf(records []memory.Record) []memory.ID {
	ids := make([]memory.ID, 0, len(records))
	for _, rec := range records {
		ids = append(ids, rec.ID)
	}
	slices.Sort(ids)
	return ids
}
