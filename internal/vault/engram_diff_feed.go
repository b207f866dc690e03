package vault

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Changes are dated by whoever made them, before they were made: two may have one
// date, and a later one an earlier date. Their commit time is made of both their order
// and their dates: that of the change, or a microsecond after the commit time of the one
// before it, whichever is later. It says in which order they became visible (decision
// E-30), and every server finds the same.

// disorder is by how much dates may go back from one change to a later one.
const disorder = 6 * time.Hour

// feedPage is how many changes are read at once.
const feedPage = 1000

// since is what happened in an owner's memory after an instant.
type since struct {
	at      time.Time
	head    time.Time // commit time of the latest change; zero: there was none
	born    map[memory.ID]bool
	said    map[memory.ID]bool // said again
	buried  map[memory.ID]bool // forgotten, or emptied
	erased  map[memory.ID]bool
	imports map[int64]span
	all     bool // everything is new: the owner went over to another key
}

// span is a range of document numbers.
type span struct{ first, last int64 }

// changesSince reads what was committed after an instant.
func changesSince(r store.Reader, at time.Time) (*since, error) {
	s := &since{at: at, born: map[memory.ID]bool{}, said: map[memory.ID]bool{}, buried: map[memory.ID]bool{},
		erased: map[memory.ID]bool{}, imports: map[int64]span{}}
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

// lastBefore returns the date of the latest change where that is before at, else at:
// when nothing has happened for long, the latest change is to be known all the same.
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

// feedStart returns a sequence number that no change after an instant comes before.
func feedStart(r store.Reader, at time.Time) (int64, error) {
	head, err := r.Head()
	if err != nil {
		return 0, err
	}
	low, high := int64(0), head // what is at or before low is earlier
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

// commit takes note of the next change.
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
		s.born[c.ID] = true
	case store.Merged:
		s.said[c.ID] = true
	case store.Tombstoned:
		s.buried[c.ID] = true
	case store.Erased, store.Hushed:
		s.erased[c.ID] = true
	case store.Imported:
		s.imports[c.Import] = span{c.First, c.Last}
	case store.Moved:
		s.all = true
	}
}

// isBorn reports whether a version was not there yet.
func (s *since) isBorn(ver *version) bool {
	if s.all || s.born[ver.id] {
		return true
	}
	in, ok := s.imports[ver.imp]
	return ok && in.first <= ver.number && ver.number <= in.last
}

// hasGone reports whether a tombstone is news: what had been forgotten before, or was
// over before it was swept, has been told.
func (s *since) hasGone(g goneForm) bool {
	switch {
	case g.Swept:
		return s.buried[g.Record] && g.DeletedAt.After(s.at)
	case s.buried[g.Record]:
		return true
	}
	return s.erased[g.Record] && !g.Before
}
