package audit

import (
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// lookahead is how many entries ahead and behind the verifier looks to explain an entry
// that does not match its hash.
const lookahead = 64

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

// alignment is the state of a comparison.
type alignment struct {
	*verifier
	entries, stored *window
	number          int64       // of the entry that belongs to the next stored hash
	behind          []tlog.Hash // the last compared entries
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
		return false, a.reportGap()
	case !isStored:
		return true, a.reportSurplus()
	case !isEntry:
		return true, a.reportMissing()
	case s.unknown || e.hash == s.hash:
		a.pass(1, 1)
		return false, nil
	}
	return false, a.explain(e.hash, s.hash)
}

// pass skips entries and stored hashes.
func (a *alignment) pass(entries, stored int) {
	for _, l := range a.entries.ahead[:entries] {
		a.behind = append(a.behind, l.hash)
	}
	if extra := len(a.behind) - lookahead; extra > 0 {
		a.behind = slices.Delete(a.behind, 0, extra)
	}
	a.entries.take(entries)
	a.stored.take(stored)
	a.number += int64(stored)
}

// explain finds out why an entry does not match the hash in its place.
func (a *alignment) explain(entry, stored tlog.Hash) error {
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
		a.noteReordered(entry, stored, hashAhead > 0, entryAhead > 0)
	case hashAhead > 0:
		a.addFinding(Deleted, a.number, "%d entries from %d on were taken out", hashAhead, a.number)
		a.pass(0, hashAhead)
	case slices.Contains(a.behind, entry):
		a.addFinding(Duplicated, a.number, "in the place of entry %d there is an earlier one again", a.number)
		if entryAhead > 0 { // beside that entry, not over it
			a.pass(1, 0)
		} else {
			a.pass(1, 1)
		}
	case entryAhead > 0:
		a.addFinding(Inserted, a.number, "before entry %d there is one that was never appended", a.number)
		a.pass(1, 0)
	default:
		a.addFinding(Edited, a.number, "entry %d was changed after it was appended", a.number)
		a.pass(1, 1)
	}
	return nil
}

// noteReordered notes which entry and which hash still lack their counterpart.
func (a *alignment) noteReordered(entry, stored tlog.Hash, hashAhead, entryAhead bool) {
	a.addFinding(Reordered, a.number, "in the place of entry %d there is another of the log", a.number)
	if hashAhead {
		a.early = append(a.early, entry)
	}
	if entryAhead {
		a.late = append(a.late, stored)
	}
	a.pass(1, 1)
}

// reportGap reports missing entries whose places are kept.
func (a *alignment) reportGap() error {
	first := a.number
	for {
		e, isEntry, err := a.entries.at(0)
		if err != nil {
			return err
		}
		if !isEntry {
			a.addFinding(Truncated, first, "the last %d entries, from %d on, are missing", a.number-first, first)
			return nil
		}
		if !e.unknown {
			a.addFinding(Deleted, first, "%d entries from %d on were taken out", a.number-first, first)
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

// reportSurplus reports entries without a hash.
func (a *alignment) reportSurplus() error {
	rest, err := drain(a.entries)
	if err == nil {
		a.addFinding(Inserted, a.number, "%d entries from %d on have no hash", rest, a.number)
	}
	return err
}

// reportMissing reports hashes whose entries are gone.
func (a *alignment) reportMissing() error {
	rest, err := drain(a.stored)
	if err == nil {
		a.addFinding(Truncated, a.number, "the last %d entries, from %d on, are missing; their hashes are there", rest, a.number)
	}
	return err
}

// drain reads the rest of a stream and counts it.
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
