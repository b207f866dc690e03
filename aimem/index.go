package aimem

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"sort"
)

// mark stands for an id in an index: the first half of its SHA-256.
type mark [16]byte

func markOf(id URN) mark {
	sum := sha256.Sum256([]byte(id))
	return mark(sum[:len(mark{})])
}

// place is where the record of an id lies: 24 bytes each.
type place struct {
	mark mark
	at   int64
}

// ids finds records by their id: sorted by mark, then by place.
type ids []place

func (x *ids) add(id URN, at int64) { *x = append(*x, place{markOf(id), at}) }

// sort puts the index in order, and returns where the records lie whose ids earlier
// ones have.
func (x ids) sort() (repeated []int64) {
	slices.SortFunc(x, func(a, b place) int {
		if c := bytes.Compare(a.mark[:], b.mark[:]); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	for i := 1; i < len(x); i++ {
		if x[i].mark == x[i-1].mark {
			repeated = append(repeated, x[i].at)
		}
	}
	slices.Sort(repeated)
	return repeated
}

// rank returns the position of an id in the index.
func (x ids) rank(id URN) (int, bool) {
	return x.find(markOf(id))
}

func (x ids) find(m mark) (int, bool) {
	return sort.Find(len(x), func(i int) int { return bytes.Compare(m[:], x[i].mark[:]) })
}

// incident is an edge or a link and the rank of the chunk that it hangs on: 16
// bytes each.
type incident struct {
	rank uint32
	at   int64
}

// incidence finds edges and links by their chunk: sorted by rank, then by place.
type incidence []incident

func (x incidence) sort() {
	slices.SortFunc(x, func(a, b incident) int {
		if a.rank != b.rank {
			return cmp.Compare(a.rank, b.rank)
		}
		return cmp.Compare(a.at, b.at)
	})
}

// of returns what hangs on the chunk of a rank.
func (x incidence) of(rank int) incidence {
	first := sort.Search(len(x), func(i int) bool { return int(x[i].rank) >= rank })
	last := sort.Search(len(x), func(i int) bool { return int(x[i].rank) > rank })
	return x[first:last]
}
