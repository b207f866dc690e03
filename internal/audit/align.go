package audit

import (
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// reach is how many entries ahead and behind are looked at to tell what
// happened to one that is not what its hash says.
const reach = 64

// compare goes through entries and stored hashes side by side.
func (v *verifier) compare(r Reader) error {
	stored, err := v.stored(r)
	if err != nil {
		return err
	}
	entries, err := v.entries(r)
	if err != nil {
		return err
	}
	a := &alignment{verifier: v, entries: entries, stored: stored}
	for done := false; !done && err == nil; {
		done, err = a.step()
	}
	v.end = a.number
	return err
}

// alignment is a comparison under way.
type alignment struct {
	*verifier
	entries, stored *window
	number          int64       // of the entry that the next stored hash belongs to
	behind          []tlog.Hash // the last entries that were passed
	early, late     []tlog.Hash // entries seen before their hash, and hashes before their entry
}

// step passes over the next entry, the next hash, or both.
func (a *alignment) step() (done bool, err error) {
	e, isEntry, err := a.entries.at(0)
	if err != nil {
		return false, err
	}
	s, isStored, err := a.stored.at(0)
	switch {
	case err != nil || !isEntry && !isStored:
		return true, err
	case isEntry && e.unknown:
		return false, a.hole()
	case !isStored:
		return true, a.surplus()
	case !isEntry:
		return true, a.missing()
	case s.unknown || e.hash == s.hash:
		a.pass(1, 1)
		return false, nil
	}
	return false, a.differs(e.hash, s.hash)
}

// pass passes over entries and stored hashes.
func (a *alignment) pass(entries, stored int) {
	for _, l := range a.entries.ahead[:entries] {
		a.behind = append(a.behind, l.hash)
	}
	if extra := len(a.behind) - reach; extra > 0 {
		a.behind = slices.Delete(a.behind, 0, extra)
	}
	a.entries.take(entries)
	a.stored.take(stored)
	a.number += int64(stored)
}

// differs finds out why an entry is not what the hash in its place says.
func (a *alignment) differs(entry, stored tlog.Hash) error {
	hashAhead, err := a.stored.find(entry)
	if err != nil {
		return err
	}
	entryAhead, err := a.entries.find(stored)
	if err != nil {
		return err
	}
	moved := hashAhead > 0 || drop(&a.late, entry)
	elsewhere := entryAhead > 0 || drop(&a.early, stored)
	switch {
	case moved && elsewhere:
		a.reordered(entry, stored, hashAhead > 0, entryAhead > 0)
	case hashAhead > 0:
		a.found(Deleted, a.number, "%d entries from %d on were taken out", hashAhead, a.number)
		a.pass(0, hashAhead)
	case slices.Contains(a.behind, entry):
		a.found(Duplicated, a.number, "in the place of entry %d there is an earlier one again", a.number)
		if entryAhead > 0 { // beside that entry, not over it
			a.pass(1, 0)
		} else {
			a.pass(1, 1)
		}
	case entryAhead > 0:
		a.found(Inserted, a.number, "before entry %d there is one that was never appended", a.number)
		a.pass(1, 0)
	default:
		a.found(Edited, a.number, "entry %d was changed after it was appended", a.number)
		a.pass(1, 1)
	}
	return nil
}

// reordered notes which entry and which hash are still to find their other half.
func (a *alignment) reordered(entry, stored tlog.Hash, hashAhead, entryAhead bool) {
	a.found(Reordered, a.number, "in the place of entry %d there is another of the log", a.number)
	if hashAhead {
		a.early = append(a.early, entry)
	}
	if entryAhead {
		a.late = append(a.late, stored)
	}
	a.pass(1, 1)
}

// hole tells of entries that are missing while their places are kept.
func (a *alignment) hole() error {
	first := a.number
	for {
		e, isEntry, err := a.entries.at(0)
		if err != nil {
			return err
		}
		if !isEntry {
			a.found(Truncated, first, "the last %d entries, from %d on, are missing", a.number-first, first)
			return nil
		}
		if !e.unknown {
			a.found(Deleted, first, "%d entries from %d on were taken out", a.number-first, first)
			return nil
		}
		_, isStored, err := a.stored.at(0)
		if err != nil {
			return err
		}
		a.entries.take(1)
		if isStored {
			a.stored.take(1)
		}
		a.number++
	}
}

// surplus tells of entries that have no hash.
func (a *alignment) surplus() error {
	rest, err := drain(a.entries)
	if err == nil {
		a.found(Inserted, a.number, "%d entries from %d on have no hash", rest, a.number)
	}
	return err
}

// missing tells of hashes whose entries are gone.
func (a *alignment) missing() error {
	rest, err := drain(a.stored)
	if err == nil {
		a.found(Truncated, a.number, "the last %d entries, from %d on, are missing; their hashes are there", rest, a.number)
	}
	return err
}

// drain passes over the rest of a stream and counts it.
func drain(w *window) (n int64, err error) {
	for {
		_, ok, err := w.at(0)
		if err != nil || !ok {
			return n, err
		}
		n += int64(len(w.ahead))
		w.take(len(w.ahead))
	}
}

// drop removes h from a list and reports whether it was there.
func drop(list *[]tlog.Hash, h tlog.Hash) bool {
	i := slices.Index(*list, h)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	return true
}
