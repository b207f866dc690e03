package vault

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// forked returns those of the records that are one of several current versions of
// their memory. A fork that was imported or signed stays until its owner decides it.
func (v *Vault) forked(g Gate, records []memory.Record) (map[memory.ID]bool, error) {
	forked := map[memory.ID]bool{}
	for _, rec := range records {
		if forked[rec.ID] || len(rec.Supersedes) == 0 || !current(rec, g.Now) {
			continue
		}
		row, err := g.rows.Row(rec.ID)
		if err != nil {
			return nil, err
		}
		rows, err := g.rows.Rows(store.Filter{Lineage: row.Columns.Lineage}, store.Cursor{}, ChainLimit)
		if err != nil {
			return nil, err
		}
		versions, err := v.shown(g, rows, anyStatus)
		if err != nil {
			return nil, err
		}
		if tips := CurrentVersions(versions, g.Now); len(tips) > 1 {
			for _, one := range tips {
				forked[one.ID] = true
			}
		}
	}
	return forked, nil
}

// CurrentVersions returns the versions of a memory that hold now and that no other
// replaced. More than one are a fork.
func CurrentVersions(versions []memory.Record, now time.Time) (tips []memory.Record) {
	for _, rec := range versions {
		if current(rec, now) {
			tips = append(tips, rec)
		}
	}
	return tips
}

func current(rec memory.Record, now time.Time) bool {
	return rec.Lifecycle.Status.Or() == memory.Active && len(rec.SupersededBy) == 0 && rec.Time.ValidAt(now)
}
