package postgres

import (
	"crypto/sha256"
	"strings"
)

// An entry of an index holds 2,700 bytes at most, and a foreign string may be longer.
// Where rows are found by such a string, the server fills in an extra column with the
// result of short, named by_ and the string's column. The inverted index has no other
// column for its terms, so it keeps the result of short itself.
const (
	shortSize = 256 // bytes: a shorter string stays as it is
	shortHead = shortSize - sha256.Size
)

// short returns the index key of a string: the string itself, or its beginning and
// its hash. Index keys keep the order of strings with different beginnings.
func short[S ~string](s S) string {
	if len(s) < shortSize {
		return string(s)
	}
	hash := sha256.Sum256([]byte(s))
	return string(s[:shortHead]) + string(hash[:])
}

// isWhole reports whether an index key is the whole string.
func isWhole(short string) bool { return len(short) < shortSize }

// beyond returns a value that sorts after every index key with this prefix, and before any
// other key that sorts after prefix.
func beyond(prefix string) string { return prefix + strings.Repeat("\xff", shortSize+1) }

func shortAll[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = short(s)
	}
	return out
}
