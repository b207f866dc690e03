package bundle

import (
	"bytes"
	"slices"
)

// marks is a set of names that takes 16 bytes for each. Callers first add all names,
// then call settle once, then call has.
type marks struct{ list []urnMark }

func (m *marks) add(name string) { m.list = append(m.list, urnMarkOf(name)) }

// settle prepares the set for has, and returns the marks that were added more than
// once.
func (m *marks) settle() (twice []urnMark) {
	slices.SortFunc(m.list, compareMarks)
	for i := 1; i < len(m.list); i++ {
		if m.list[i] == m.list[i-1] {
			twice = append(twice, m.list[i])
		}
	}
	m.list = slices.Compact(m.list)
	return slices.Compact(twice)
}

func (m *marks) has(name string) bool { return m.hasMark(urnMarkOf(name)) }

func (m *marks) hasMark(sought urnMark) bool {
	_, ok := slices.BinarySearchFunc(m.list, sought, compareMarks)
	return ok
}

func compareMarks(a, b urnMark) int { return bytes.Compare(a[:], b[:]) }
