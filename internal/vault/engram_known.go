package vault

import (
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// beliefName is how contexts name a belief. An earlier version may say that, and its present
// one may not.
type beliefName struct {
	id       string // empty: no context has it
	category engram.Category
}

// knownAs reads how contexts name the belief of which rows are versions. That is to be
// asked before any version of it goes. One that has never been another is told by itself:
// of that, nothing is read.
func (v *Vault) knownAs(r store.Reader, now time.Time, rows ...store.Row) (beliefName, error) {
	for _, row := range rows {
		rec, err := Decoded(row)
		if err == nil && len(rec.Supersedes) > 0 && !row.Columns.Staged {
			return v.lineageNamed(r, rec.Scope.Owner, row.Columns.Lineage, now)
		}
	}
	return beliefName{}, nil
}

// lineageNamed is knownAs of a lineage.
func (v *Vault) lineageNamed(r store.Reader, owner memory.DID, root memory.ID, now time.Time) (beliefName, error) {
	all, err := v.gatherOne(r, owner, root)
	if err != nil {
		return beliefName{}, err
	}
	p := v.passport(owner, moment{at: now}, false)
	for _, l := range all.list {
		if err := p.add(l); err != nil {
			return beliefName{}, err
		}
	}
	if len(p.told) == 0 {
		return beliefName{}, nil
	}
	return beliefName{id: p.told[0].ID, category: p.told[0].Category}, nil
}

// gatherOne reads the records of one lineage, without what was proposed for it.
func (v *Vault) gatherOne(r store.Reader, owner memory.DID, root memory.ID) (*gathered, error) {
	all := &gathered{by: map[memory.ID]*lineage{}, of: map[memory.ID]*lineage{}}
	rows, err := r.Rows(store.Filter{Lineage: root}, store.Cursor{}, chainLimit)
	if err == nil {
		err = v.fileRows(r, owner, all, rows)
	}
	all.complete()
	return all, err
}
