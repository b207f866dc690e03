package stored

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// The index holds the postings of each term in rows. The number of a row says its form and
// which documents it holds. In the order of numbers, the documents of a term's rows ascend.
//
//	below FirstLeaf  a block, which an earlier release wrote: the documents from 256 times
//	                 the number on, in entries of 4 bytes
//	below OpenLeaf   a leaf: documents below the number less FirstLeaf, and not below that
//	                 of the leaf before
//	OpenLeaf         the open leaf: the last documents
//
// An entry of a block is
//
//	0    the low byte of the document's number
//	1    how often it holds the term, at most 255
//	2-3  its length, at most 65535, little-endian
const (
	FirstLeaf = 1 << 32
	OpenLeaf  = 1 << 40

	blockSize = 256
	entrySize = 4
)

// IndexRow is a row of the index.
type IndexRow struct {
	Term    string
	Number  int64
	Entries []byte
}

// IsBlock reports whether an earlier release wrote the row.
func (r IndexRow) IsBlock() bool { return r.Number < FirstLeaf }

// Unpack appends the postings of a row in the order of documents, as far as they are valid,
// and reports whether the whole row is as satchel writes it.
func (r IndexRow) Unpack(to []store.Posting) ([]store.Posting, bool) {
	if r.IsBlock() {
		return unpackBlock(to, r.Number, r.Entries)
	}
	start := len(to)
	to, ok := unpackLeaf(to, r.Entries)
	below := len(to) == start || r.Number == OpenLeaf || to[len(to)-1].Document < r.Number-FirstLeaf
	return to, ok && below && r.Number <= OpenLeaf
}

// Follow reports whether postings of a row are not below the least document that may be there,
// and returns the least one of the row after it.
func (r IndexRow) Follow(postings []store.Posting, least int64) (next int64, ok bool) {
	switch {
	case len(postings) == 0:
		return least, true
	case r.IsBlock():
		next = postings[len(postings)-1].Document + 1
	default:
		next = r.Number - FirstLeaf
	}
	return next, postings[0].Document >= least
}

// Posting returns the posting of a document, in which numbers are capped.
func Posting(document int64, frequency, length int) store.Posting {
	return store.Posting{Document: document, Frequency: frequencyByte(frequency), Length: uint16(min(max(length, 0), math.MaxUint16))}
}

func frequencyByte(frequency int) byte { return byte(min(max(frequency, 0), math.MaxUint8)) }

// BlockOf returns the number of the block that an earlier release would keep a document in.
func BlockOf(document int64) int64 { return document / blockSize }

// Blocks returns the rows of postings in the form of an earlier release.
func (l Listing) Blocks() []IndexRow {
	var blocks []IndexRow
	for _, p := range l.Postings {
		if n := BlockOf(p.Document); len(blocks) == 0 || blocks[len(blocks)-1].Number != n {
			blocks = append(blocks, IndexRow{Term: l.Term, Number: n})
		}
		last := &blocks[len(blocks)-1]
		last.Entries = append(last.Entries, byte(p.Document%blockSize), p.Frequency)
		last.Entries = binary.LittleEndian.AppendUint16(last.Entries, p.Length)
	}
	return blocks
}

func unpackBlock(to []store.Posting, block int64, entries []byte) ([]store.Posting, bool) {
	start := len(to)
	for e := range slices.Chunk(entries[:len(entries)/entrySize*entrySize], entrySize) {
		to = append(to, store.Posting{
			Document: block*blockSize + int64(e[0]), Frequency: e[1], Length: binary.LittleEndian.Uint16(e[2:]),
		})
	}
	return to, len(entries)%entrySize == 0 && ascending(to[start:])
}

// ascending reports whether postings are in the order of documents, without repetition.
func ascending(postings []store.Posting) bool {
	for i := 1; i < len(postings); i++ {
		if postings[i].Document <= postings[i-1].Document {
			return false
		}
	}
	return true
}
