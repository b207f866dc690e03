package memory

import (
	"cmp"
	"slices"
	"time"
)

// Version is what decides where one version of a belief stands among the others.
type Version struct {
	ID         ID
	Supersedes []ID
	From       time.Time // when the version began to hold
	Unreadable bool      // the record is damaged, so its time is unknown
}

// Succession returns the order of a belief's versions as indexes into the list. The version
// that began first comes first, but behind all versions that it supersedes; those come in
// the same order. Versions that began together keep the order of the list, and an
// unreadable version stays behind the version before it. Where versions supersede one
// another in a circle, the link from the last to the first of them counts for nothing.
// Succession takes n log n steps for n versions and links.
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

// succession is a list of versions that is being put in order.
type succession struct {
	versions []Version
	at       map[ID]int
	rank     []int     // of each version, by time alone
	state    []placing // of each version
	order    []int     // those that are placed
}

// placing says how far a version is.
type placing int

const (
	unplaced placing = iota
	waiting          // for versions that it supersedes
	placed
)

// place puts a version behind all that it supersedes. The versions that wait lie on a
// stack of its own, since a chain may have any length.
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

// unplacedPriors returns the versions that a version supersedes and that are not yet under
// way, the one that began last first: the top of the stack is placed first.
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
