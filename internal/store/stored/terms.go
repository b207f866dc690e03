package stored

import (
	"encoding/binary"
	"iter"

	"github.com/satchel-memory/satchel/internal/store"
)

// packEntry packs the index entry of a record: each of its terms in the given order, and then
// its digest as one that occurs 0 times, so that a release without digests can read the terms.
// A term has its length as a varint, so that it may hold any byte, then its bytes, and then
// its frequency in the index's form of one byte. Without terms packEntry returns nil.
func packEntry(d store.Document, terms []string) []byte {
	size := len(d.Digest) + binary.MaxVarintLen64
	for _, term := range terms {
		size += len(term) + 2
	}
	if len(terms) == 0 {
		return nil
	}
	packed := make([]byte, 0, size)
	for _, term := range terms {
		packed = binary.AppendUvarint(packed, uint64(len(term)))
		packed = append(packed, term...)
		packed = append(packed, max(1, frequencyByte(d.Terms[term])))
	}
	if d.Digest != nil {
		packed = binary.AppendUvarint(packed, uint64(len(d.Digest)))
		packed = append(append(packed, d.Digest...), 0)
	}
	return packed
}

// PackedTerm is a term of a list and how often it occurs, at most 255 times.
type PackedTerm struct {
	Term      string
	Frequency byte
}

// UnpackTerms returns the terms of the output of [packEntry], and reports whether that was
// valid.
func UnpackTerms(packed []byte) ([]PackedTerm, bool) {
	var terms []PackedTerm
	for len(packed) > 0 {
		term, frequency, rest, ok := nextTerm(packed)
		if !ok {
			return nil, false
		}
		if frequency > 0 {
			terms = append(terms, PackedTerm{string(term), frequency})
		}
		packed = rest
	}
	return terms, true
}

// nextTerm returns the first term of a list that is not empty, how often it occurs, and the rest of the list.
func nextTerm(packed []byte) (term []byte, frequency byte, rest []byte, ok bool) {
	length, n := uint64(packed[0]), 1
	if length >= 0x80 { // not a varint of one byte
		length, n = binary.Uvarint(packed)
	}
	if n <= 0 || length >= uint64(len(packed)-n) {
		return nil, 0, nil, false
	}
	packed = packed[n:]
	return packed[:length], packed[length], packed[length+1:], true
}

// unpackEntry returns the terms and the digest of the output of [packEntry]. A damaged list
// has no digest.
func unpackEntry(packed []byte) (terms iter.Seq2[[]byte, byte], digest []byte) {
	for left := packed; len(left) > 0; {
		term, frequency, rest, ok := nextTerm(left)
		switch {
		case !ok:
			return nil, nil
		case frequency == 0:
			digest = term
		}
		left = rest
	}
	return func(yield func([]byte, byte) bool) {
		for left := packed; len(left) > 0; {
			term, frequency, rest, ok := nextTerm(left)
			if !ok || frequency > 0 && !yield(term, frequency) {
				return
			}
			left = rest
		}
	}, digest
}
