package stored

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// The index holds, for each term, blocks of 256 document numbers. A block is a
// string of entries in the order of documents, 4 bytes each:
//
//	0    the low byte of the document's number
//	1    how often it holds the term, at most 255
//	2-3  its length, at most 65535, little-endian
const (
	BlockSize = 256
	EntrySize = 4
)

// Entry returns the entry of a document.
func Entry(document int64, frequency, length int) []byte {
	e := make([]byte, EntrySize)
	e[0] = byte(document % BlockSize)
	e[1] = frequencyByte(frequency)
	binary.LittleEndian.PutUint16(e[2:], uint16(min(max(length, 0), math.MaxUint16)))
	return e
}

func frequencyByte(frequency int) byte { return byte(min(max(frequency, 0), math.MaxUint8)) }

// postings appends the postings of a block's entries, the last document first.
func postings(to []store.Posting, block int64, entries []byte) []store.Posting {
	for i := len(entries) - EntrySize; i >= 0; i -= EntrySize {
		to = append(to, store.Posting{
			Document:  block*BlockSize + int64(entries[i]),
			Frequency: entries[i+1],
			Length:    binary.LittleEndian.Uint16(entries[i+2:]),
		})
	}
	return to
}

// Ascending reports whether entries are complete and in the order of documents, without
// repetition.
func Ascending(entries []byte) bool {
	for i := EntrySize; i < len(entries); i += EntrySize {
		if entries[i] <= entries[i-EntrySize] {
			return false
		}
	}
	return len(entries)%EntrySize == 0
}

// With returns entries with one more, in order.
func With(entries, entry []byte) []byte {
	at := 0
	for at < len(entries) && entries[at] < entry[0] {
		at += EntrySize
	}
	return slices.Insert(slices.Clone(entries), at, entry...)
}

// Without returns entries without a document's.
func Without(entries []byte, document int64) []byte {
	rest := make([]byte, 0, len(entries))
	for e := range slices.Chunk(entries, EntrySize) {
		if e[0] != byte(document%BlockSize) {
			rest = append(rest, e...)
		}
	}
	return rest
}
