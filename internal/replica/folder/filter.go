package folder

import (
	"crypto/sha256"
	"encoding/binary"
)

// filter is a Bloom filter of the marks of a file's records. After an erasure, this machine
// reads only the files that may hold the erased record. One of a hundred marks is a false hit.
// The filter of a file without records is empty.
type filter []byte

// A filter has so many bits for each mark, and a mark sets so many of them.
const (
	filterBits = 10
	filterSets = 7
)

// unreadFilter returns the filter of a file that this machine cannot read: it may hold any
// record.
func unreadFilter() filter { return filter{0xff} }

// newFilter returns the filter of a file whose records have these marks.
func newFilter(marks []string) filter {
	f := make(filter, (len(marks)*filterBits+7)/8)
	for _, mark := range marks {
		for _, at := range f.places(mark) {
			f[at/8] |= 1 << (at % 8)
		}
	}
	return f
}

// mayHold reports whether a record of the file may have a mark.
func (f filter) mayHold(mark string) bool {
	if len(f) == 0 {
		return false
	}
	for _, at := range f.places(mark) {
		if f[at/8]&(1<<(at%8)) == 0 {
			return false
		}
	}
	return true
}

// places returns the bits that a mark sets.
func (f filter) places(mark string) (places [filterSets]uint32) {
	sum := sha256.Sum256([]byte(mark)) // another machine's mark may be any text
	for i := range places {
		places[i] = binary.BigEndian.Uint32(sum[4*i:]) % uint32(8*len(f))
	}
	return places
}
