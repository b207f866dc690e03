package aimem

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"sort"
)

// idHash represents an id in an index: the first half of its SHA-256.
type idHash [16]byte

func hashID(id URN) idHash {
	sum := sha256.Sum256([]byte(id))
	return idHash(sum[:len(idHash{})])
}

// place is the offset of the record with an id, in 24 bytes.
type place struct {
	hash idHash
	at   int64
}

// ids finds records by their id: sorted by hash, then by offset.
type ids []place

func (x *ids) add(id URN, at int64) { *x = append(*x, place{hashID(id), at}) }

// sort sorts the index, and returns the offsets of records whose id an earlier record
// has.
func (x ids) sort() (repeated []int64) {
	slices.SortFunc(x, func(a, b place) int {
		if c := bytes.Compare(a.hash[:], b.hash[:]); c != 0 {
			return c
		}
		return cmp.Compare(a.at, b.at)
	})
	for i := 1; i < len(x); i++ {
		if x[i].hash == x[i-1].hash {
			repeated = append(repeated, x[i].at)
		}
	}
	slices.Sort(repeated)
	return repeated
}

// rank returns the position of an id in the index.
func (x ids) rank(id URN) (int, bool) {
	return x.find(hashID(id))
}

func (x ids) find(m idHash) (int, bool) {
	return sort.Find(len(x), func(i int) int { return bytes.Compare(m[:], x[i].hash[:]) })
}

// incident is an edge or a link and the rank of its chunk, in 16 bytes.
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

// of returns the edges or links of the chunk with a rank.
func (x incidence) of(rank int) incidence {
	first := sort.Search(len(x), func(i int) bool { return int(x[i].rank) >= rank })
	last := sort.Search(len(x), func(i int) bool { return int(x[i].rank) > rank })
	return x[first:last]
}
