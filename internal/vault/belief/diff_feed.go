package belief

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// The maker of a change dates it before writing it. Two changes may have one date, and a
// later change an earlier date. The commit time combines order and date: it is the
// change's date, or a microsecond after the previous commit time, whichever is later. It
// gives the order in which changes became visible (decision E-30), and every server
// computes the same.

// disorder is how far the date of a change may lie before the date of an earlier one.
const disorder = 6 * time.Hour

// feedPage is how many changes are read at once.
const feedPage = 1000

// since holds what happened in an owner's memory after an instant, with the latest
// commit time of each.
type since struct {
	at      time.Time
	head    time.Time // commit time of the latest change; zero: there was none
	born    commits
	said    commits // said again
	buried  commits // forgotten, or emptied
	erased  commits
	imports map[int64][]span // an archive is stored in several spans
	all     time.Time        // when everything became new, because the owner changed keys
}

// commits are the latest commit times of changes of records.
type commits map[memory.ID]time.Time

// span is a range of document numbers, and when they were committed.
type span struct {
	first, last int64
	at          time.Time
}

// changesSince reads what was committed after an instant.
func changesSince(r store.Reader, at time.Time) (*since, error) {
	s := &since{at: at, born: commits{}, said: commits{}, buried: commits{}, erased: commits{}, imports: map[int64][]span{}}
	start, err := lastBefore(r, at)
	if err != nil {
		return nil, err
	}
	after, err := feedStart(r, start.Add(-disorder))
	if err != nil {
		return nil, err
	}
	for {
		page, err := r.Changes(after, feedPage)
		if err != nil || len(page) == 0 {
			return s, err
		}
		for _, c := range page {
			s.commit(c)
		}
		after = page[len(page)-1].Sequence
	}
}

// lastBefore returns the date of the latest change where it is before at, else at. After
// a long pause the feed must still include the latest change.
func lastBefore(r store.Reader, at time.Time) (time.Time, error) {
	head, err := r.Head()
	if err != nil {
		return at, err
	}
	last, err := r.Changes(head-1, 1)
	if err == nil && len(last) > 0 && last[0].At.Before(at) {
		return last[0].At, nil
	}
	return at, err
}

// feedStart returns a sequence number such that every change after an instant has a
// higher one.
func feedStart(r store.Reader, at time.Time) (int64, error) {
	head, err := r.Head()
	if err != nil {
		return 0, err
	}
	low, high := int64(0), head // changes up to low are earlier
	for low < high {
		middle := low + (high-low)/2
		next, err := r.Changes(middle, 1)
		if err != nil {
			return 0, err
		}
		if len(next) == 0 || !next[0].At.Before(at) {
			high = middle
			continue
		}
		low = next[0].Sequence
	}
	return low, nil
}

// commit notes the next change.
func (s *since) commit(c store.Change) {
	if next := s.head.Add(time.Microsecond); c.At.Before(next) && !s.head.IsZero() {
		s.head = next
	} else {
		s.head = c.At
	}
	if !s.head.After(s.at) {
		return
	}
	switch c.Type {
	case store.Created, store.Revised:
		s.born[c.ID] = s.head
	case store.Merged:
		s.said[c.ID] = s.head
	case store.Tombstoned:
		s.buried[c.ID] = s.head
	case store.Erased, store.ErasedPrivately:
		s.erased[c.ID] = s.head
	case store.Imported:
		s.imports[c.Import] = append(s.imports[c.Import], span{c.First, c.Last, s.head})
	case store.Moved:
		s.all = s.head
	}
}

// bornAt returns when a version that was not there yet was stored; zero: it was there.
func (s *since) bornAt(ver *version) time.Time {
	at := later(s.all, s.born[ver.id])
	for _, in := range s.imports[ver.imp] {
		if in.first <= ver.number && ver.number <= in.last {
			at = later(at, in.at)
		}
	}
	return at
}

// goneAt returns when the subject of a tombstone was removed; zero: that is no news. An
// earlier diff already reported a belief that was forgotten before, or that ended before
// its sweep.
func (s *since) goneAt(g tombstoneForm) time.Time {
	switch {
	case g.Swept && !g.DeletedAt.After(s.at):
		return time.Time{}
	case g.Swept || !s.buried[g.Record].IsZero():
		return s.buried[g.Record]
	case g.Before:
		return time.Time{}
	}
	return s.erased[g.Record]
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
