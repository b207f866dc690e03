package codec

import "crypto/sha256"

// Seen is a set of texts, such as the references of all records of a document. It holds
// 128 bits of a digest for each, however long the text is.
type Seen map[[16]byte]struct{}

// Add adds a text, and reports whether it is new.
func (s Seen) Add(text string) bool {
	sum := sha256.Sum256([]byte(text))
	key := [16]byte(sum[:16])
	if _, again := s[key]; again {
		return false
	}
	s[key] = struct{}{}
	return true
}
