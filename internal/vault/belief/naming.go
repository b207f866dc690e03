package belief

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// KnownAs reads how contexts name the belief of which rows are versions. That is to be
// asked before any version of it goes. One that has never been another is told by itself:
// of that, nothing is read.
func (b *beliefs) KnownAs(r store.Reader, now time.Time, rows ...store.Row) (vault.BeliefName, error) {
	for _, row := range rows {
		rec, err := vault.Decoded(row)
		if err == nil && len(rec.Supersedes) > 0 && !row.Columns.Staged {
			return b.lineageNamed(r, rec.Scope.Owner, row.Columns.Lineage, now)
		}
	}
	return vault.BeliefName{}, nil
}

// lineageNamed is knownAs of a lineage.
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

// gatherOne reads the records of one lineage, without what was proposed for it.
func (b *beliefs) gatherOne(r store.Reader, owner memory.DID, root memory.ID) (*gathered, error) {
	all := &gathered{by: map[memory.ID]*lineage{}, of: map[memory.ID]*lineage{}}
	rows, err := r.Rows(store.Filter{Lineage: root}, store.Cursor{}, vault.ChainLimit)
	if err == nil {
		err = b.fileRows(r, owner, all, rows)
	}
	all.complete()
	return all, err
}
