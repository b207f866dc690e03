package belief

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// KnownAs returns the name that contexts give the belief with these rows. Callers ask
// before they remove any of its versions. For a belief with a single version it reads
// nothing: that version gives the name.
func (b *beliefs) KnownAs(r store.Reader, now time.Time, rows ...store.Row) (vault.BeliefName, error) {
	for _, row := range rows {
		rec, err := vault.Decoded(row)
		if err == nil && len(rec.Supersedes) > 0 && !row.Columns.Staged {
			return b.lineageNamed(r, rec.Scope.Owner, row.Columns.Lineage, now)
		}
	}
	return vault.BeliefName{}, nil
}

// lineageNamed is KnownAs for a lineage.
func (b *beliefs) lineageNamed(r store.Reader, owner memory.DID, root memory.ID, now time.Time) (vault.BeliefName, error) {
	all, err := b.gatherOne(r, owner, root)
	if err != nil {
		return vault.BeliefName{}, err
	}
	p := b.passport(owner, moment{at: now}, false)
	for _, l := range all.list {
		if err := p.add(l); err != nil {
			return vault.BeliefName{}, err
		}
	}
	if len(p.told) == 0 {
		return vault.BeliefName{}, nil
	}
	return vault.BeliefName{ID: p.told[0].ID, Category: p.told[0].Category}, nil
}

// gatherOne reads the records of one lineage, without its proposals.
func (b *beliefs) gatherOne(r store.Reader, owner memory.DID, root memory.ID) (*lineageSet, error) {
	all := newLineageSet()
	rows, err := r.Rows(store.Filter{Lineage: root}, store.Cursor{}, vault.ChainLimit)
	if err == nil {
		err = b.fileRows(r, owner, all, rows)
	}
	all.complete()
	return all, err
}
