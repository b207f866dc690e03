package vault

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ForkSpace holds the memories of which machines made several versions apart: the key is
// the lineage. What the owner has decided since stays in it until it is looked at.
const ForkSpace = "replica.fork"

// KeptSpace holds the versions that the owner wants to keep beside each other: the key is
// the lineage, the data their ids as a JSON array, sorted.
const KeptSpace = "replica.kept"

// Fork is a memory with several current versions, of which the owner decides.
type Fork struct {
	Lineage  memory.ID
	Versions []memory.Record // by time and id
}

// ForkOf returns the versions of a lineage that are current at an instant; the zero time:
// those that no other replaced. ok is false if there is but one, or the owner keeps them all.
func ForkOf(k Kernel, r store.Reader, lineage memory.ID, now time.Time) (f Fork, ok bool, err error) {
	rows, err := r.Rows(store.Filter{Lineage: lineage}, store.Cursor{}, ChainLimit)
	if err != nil || len(rows) < 2 {
		return f, false, err
	}
	var versions []memory.Record
	for _, row := range rows {
		rec, damage, err := k.Read(r, row)
		if err != nil {
			return f, false, err
		}
		if damage == nil {
			versions = append(versions, rec)
		}
	}
	f.Lineage = lineage
	for _, rec := range versions {
		open := rec.Lifecycle.Status.Or() == memory.Active && len(rec.SupersededBy) == 0
		if open && (now.IsZero() || rec.Time.ValidAt(now)) {
			f.Versions = append(f.Versions, rec)
		}
	}
	if len(f.Versions) < 2 {
		return f, false, nil
	}
	slices.SortFunc(f.Versions, func(a, b memory.Record) int {
		if c := a.Time.Created.Compare(b.Time.Created); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	kept, err := keptOf(r, lineage)
	return f, !keptApart(f.Versions, versions, kept), err
}

// Forks returns the memories of which machines made several versions apart and that wait
// for their owner, in the order of their first versions.
func Forks(k Kernel, r store.Reader, now time.Time) (all []Fork, err error) {
	err = EachBeside(r, store.AttachmentFilter{Space: ForkSpace}, func(a store.Attachment) error {
		f, ok, err := ForkOf(k, r, memory.ID(a.Key), now)
		if ok {
			all = append(all, f)
		}
		return err
	})
	slices.SortFunc(all, func(a, b Fork) int { return strings.Compare(string(a.Lineage), string(b.Lineage)) })
	return all, err
}

func keptOf(r store.Reader, lineage memory.ID) (kept []memory.ID, err error) {
	a, err := r.Attached(KeptSpace, string(lineage), 0)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(a.Data, &kept)
	}
	return kept, err
}

// KeepApart notes that the owner keeps versions beside each other.
func KeepApart(w store.Writer, f Fork) error {
	var ids []memory.ID
	for _, rec := range f.Versions {
		ids = append(ids, rec.ID)
	}
	slices.Sort(ids)
	data, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	if err := NotFoundIsNone(w.Detach(KeptSpace, string(f.Lineage))); err != nil {
		return err
	}
	_, err = store.Attach(w, store.Attachment{Space: KeptSpace, Key: string(f.Lineage), Data: data})
	return err
}

// keptApart reports whether each of the tips follows from another one of the versions that the
// owner keeps.
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
