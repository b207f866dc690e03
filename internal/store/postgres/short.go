package postgres

import "crypto/sha256"

// An entry of an index holds 2,700 bytes at most, and a string of somebody's may be
// longer than that. Where rows are found by such a string, a column that the server
// fills in, named by_ and what it stands for, holds what short makes of it. The index
// itself, whose terms no other column holds, keeps what short makes of them.
const (
	shortSize = 256 // bytes: what is shorter stands for itself
	shortHead = shortSize - sha256.Size
)

// short returns what a string is found by: itself, or its beginning and its hash.
// The order of strings is kept as far as their beginnings tell them apart.
func short[S ~string](s S) string {
	if len(s) < shortSize {
		return string(s)
	}
	hash := sha256.Sum256([]byte(s))
	return string(s[:shortHead]) + string(hash[:])
}

// isWhole reports whether a string stands for itself.
func isWhole(short string) bool { return len(short) < shortSize }

func shortAll[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = short(s)
	}
	return out
}
