package belief

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

// since is what happened in an owner's memory after an instant, and when it was
// committed last.
type since struct {
	at      time.Time
	head    time.Time // commit time of the latest change; zero: there was none
	born    commits
	said    commits // said again
	buried  commits // forgotten, or emptied
	erased  commits
	imports map[int64][]span // an archive comes in several
	all     time.Time        // everything was new then: the owner went over to another key
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

// bornAt is when a version came that was not there yet; zero: it was.
func (s *since) bornAt(ver *version) time.Time {
	at := later(s.all, s.born[ver.id])
	for _, in := range s.imports[ver.imp] {
		if in.first <= ver.number && ver.number <= in.last {
			at = later(at, in.at)
		}
	}
	return at
}

// goneAt is when what a tombstone stands for went; zero: that is no news. What had been
// forgotten before, or was over before it was swept, has been told.
func (s *since) goneAt(g goneForm) time.Time {
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
