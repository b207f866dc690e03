package stored

import "encoding/binary"

// packTerms packs the terms of a record in the given order: each term's length as a varint,
// so that a term may hold any byte, then the term, and then its frequency in the index's
// form of one byte. Without terms it returns nil.
func packTerms(terms []string, frequencies map[string]int) []byte {
	size := 0
	for _, term := range terms {
		size += len(term) + 2
	}
	if size == 0 {
		return nil
	}
	packed := make([]byte, 0, size)
	for _, term := range terms {
		packed = binary.AppendUvarint(packed, uint64(len(term)))
		packed = append(packed, term...)
		packed = append(packed, frequencyByte(frequencies[term]))
	}
	return packed
}

// PackedTerm is a term of a list and how often it occurs, at most 255 times.
type PackedTerm struct {
	Term      string
	Frequency byte
}

// UnpackTerms reads the output of [packTerms], and reports whether it was valid.
func UnpackTerms(packed []byte) ([]PackedTerm, bool) {
	var terms []PackedTerm
	for len(packed) > 0 {
		length, n := binary.Uvarint(packed)
		if n <= 0 || length >= uint64(len(packed)-n) {
			return nil, false
		}
		packed = packed[n:]
		terms = append(terms, PackedTerm{string(packed[:length]), packed[length]})
		packed = packed[length+1:]
	}
	return terms, true
}
