package redact

import "strconv"

// Numbering keeps names apart that have become the same: the second ends in -2. What it
// costs grows with how many names there are, and no faster.
type Numbering struct {
	taken map[string]bool
	next  map[string]int // the number to try for a name
}

// NewNumbering returns one in which no name is taken.
func NewNumbering() Numbering { return Numbering{map[string]bool{}, map[string]int{}} }

// Take takes a name that stays as it is.
func (n Numbering) Take(name string) { n.taken[name] = true }

// Free returns a name that is not taken, and takes it.
func (n Numbering) Free(name string) string {
	free := name
	for i := max(2, n.next[name]); n.taken[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
		n.next[name] = i + 1
	}
	n.Take(free)
	return free
}
