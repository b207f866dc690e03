package vault

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ForkSpace holds the memories that machines revised apart: the key is the lineage. A memory may
// stay in it after its owner has decided.
const ForkSpace = "replica.fork"

// KeptSpace holds the versions that the owner decided to keep all: the key is the lineage, the
// data is a sorted JSON array of their ids.
const KeptSpace = "replica.kept"

// VersionsApart returns the current versions of a lineage at an instant, by time of creation and
// id. At the zero time, all versions that no other replaced are current. It returns none if there
// is only one, or if the owner decided to keep them all.
func VersionsApart(k Kernel, r store.Reader, lineage memory.ID, now time.Time) ([]memory.Record, error) {
	rows, err := r.Rows(store.Filter{Lineage: lineage}, store.Cursor{}, ChainLimit)
	if err != nil || len(rows) < 2 {
		return nil, err
	}
	var versions []memory.Record
	for _, row := range rows {
		rec, damage, err := k.Read(r, row)
		if err != nil {
			return nil, err
		}
		if damage == nil {
			versions = append(versions, rec)
		}
	}
	tips, err := undecided(r, lineage, versions, now)
	slices.SortFunc(tips, func(a, b memory.Record) int {
		return cmp.Or(a.Time.Created.Compare(b.Time.Created), cmp.Compare(a.ID, b.ID))
	})
	return tips, err
}

// forked returns the ids of records that are one of several current versions of their memory.
// They stay so until the owner decides.
func (v *verifier) forked(g Gate, records []memory.Record) (map[memory.ID]bool, error) {
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
		tips, err := undecided(g.rows, row.Columns.Lineage, versions, g.Now)
		if err != nil {
			return nil, err
		}
		for _, one := range tips {
			forked[one.ID] = true
		}
	}
	return forked, nil
}

// undecided returns the current versions of a memory if there are several, unless the owner
// decided to keep them all.
func undecided(r store.Reader, lineage memory.ID, versions []memory.Record, now time.Time) ([]memory.Record, error) {
	tips := CurrentVersions(versions, now)
	if len(tips) < 2 {
		return nil, nil
	}
	a, err := r.Attached(KeptSpace, string(lineage), 0)
	if errors.Is(err, store.ErrNotFound) {
		return tips, nil
	}
	if err != nil {
		return nil, err
	}
	var kept []memory.ID
	if err := json.Unmarshal(a.Data, &kept); err != nil || keptApart(tips, versions, kept) {
		return nil, err
	}
	return tips, nil
}

// CurrentVersions returns the versions of a memory that are valid at an instant and that no other
// replaced. At the zero time, it does not ask for validity. More than one are a fork.
func CurrentVersions(versions []memory.Record, now time.Time) (tips []memory.Record) {
	for _, rec := range versions {
		if current(rec, now) {
			tips = append(tips, rec)
		}
	}
	return tips
}

// current reports whether a version is valid at an instant, and no other replaced it.
func current(rec memory.Record, now time.Time) bool {
	return rec.Lifecycle.Status.Or() == memory.Active && len(rec.SupersededBy) == 0 && (now.IsZero() || rec.Time.ValidAt(now))
}

// keptApart reports whether the owner decided to keep all tips: each is one of the kept versions
// or a revision of one, and no two are of the same.
func keptApart(tips, versions []memory.Record, kept []memory.ID) bool {
	by := make(map[memory.ID]memory.Record, len(versions))
	for _, rec := range versions {
		by[rec.ID] = rec
	}
	used := map[memory.ID]bool{}
	for _, tip := range tips {
		from := tip.ID
		for n := 0; !slices.Contains(kept, from); n++ {
			rec := by[from]
			if len(rec.Supersedes) == 0 || n > len(versions) {
				return false
			}
			from = rec.Supersedes[0]
		}
		if used[from] {
			return false
		}
		used[from] = true
	}
	return true
}
