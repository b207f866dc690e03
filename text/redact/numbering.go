package redact

import "strconv"

// Numbering distinguishes names that have become the same: the second ends in -2. Its cost
// grows linearly with the number of names.
type Numbering struct {
	taken map[string]bool
	next  map[string]int // the next number to try for a name
}

// NewNumbering returns a Numbering without names.
func NewNumbering() Numbering { return Numbering{map[string]bool{}, map[string]int{}} }

// Take adds a name that stays as it is.
func (n Numbering) Take(name string) { n.taken[name] = true }

// Free returns an unused name and adds it.
func (n Numbering) Free(name string) string {
	free := name
	for i := max(2, n.next[name]); n.taken[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
		n.next[name] = i + 1
	}
	n.Take(free)
	return free
}
