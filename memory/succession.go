package memory

import (
	"cmp"
	"slices"
	"time"
)

// Version holds the data that orders one version of a belief among the others.
type Version struct {
	ID         ID
	Supersedes []ID
	From       time.Time // when the version began to hold
	Unreadable bool      // the record is damaged, so its time is unknown
}

// Succession returns the order of a belief's versions as indexes into the list. A version
// follows all versions that it supersedes; otherwise the version that began earlier comes
// first. Versions that began together keep the order of the list. An unreadable version
// stays behind the version before it. If versions supersede one another in a circle, the
// link from the last to the first of them is ignored. Succession takes n log n steps for n
// versions and links.
func Succession(versions []Version) []int {
	n := len(versions)
	s := succession{versions: versions, at: make(map[ID]int, n), rank: make([]int, n), state: make([]placing, n), order: make([]int, 0, n)}
	began, byTime := make([]time.Time, n), make([]int, n)
	for i, v := range versions {
		byTime[i], began[i], s.at[v.ID] = i, v.From, i
		if v.Unreadable && i > 0 {
			began[i] = began[i-1]
		}
	}
	slices.SortStableFunc(byTime, func(a, b int) int { return began[a].Compare(began[b]) })
	for rank, i := range byTime {
		s.rank[i] = rank
	}
	for _, i := range byTime {
		s.place(i)
	}
	return s.order
}

// succession orders a list of versions.
type succession struct {
	versions []Version
	at       map[ID]int
	rank     []int     // of each version, by time alone
	state    []placing // of each version
	order    []int     // the placed versions
}

// placing is the state of a version: untouched, waiting or placed.
type placing int

const (
	unplaced placing = iota
	waiting          // waits for the versions that it supersedes
	placed
)

// place appends a version to the order, after all versions that it supersedes. It keeps the
// waiting versions on its own stack, since a chain may have any length.
func (s *succession) place(first int) {
	for stack := []int{first}; len(stack) > 0; {
		top := stack[len(stack)-1]
		if s.state[top] == unplaced {
			s.state[top] = waiting
			if priors := s.unplacedPriors(top); len(priors) > 0 {
				stack = append(stack, priors...)
				continue
			}
		}
		if s.state[top] == waiting {
			s.state[top] = placed
			s.order = append(s.order, top)
		}
		stack = stack[:len(stack)-1]
	}
}

// unplacedPriors returns the versions that a version supersedes and that are neither placed
// nor waiting. The version that began last comes first, because the caller places the top
// of the stack first.
func (s *succession) unplacedPriors(i int) []int {
	var priors []int
	for _, id := range s.versions[i].Supersedes {
		if j, here := s.at[id]; here && s.state[j] == unplaced {
			priors = append(priors, j)
		}
	}
	slices.SortFunc(priors, func(a, b int) int { return cmp.Compare(s.rank[b], s.rank[a]) })
	return priors
}
