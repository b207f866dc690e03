package replica

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"
)

func digest(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:16]
}

// first returns the earlier of two instants; the zero time counts as none.
func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// lesser returns the lesser of two names; an empty name counts as none.
func lesser[S ~string](a, b S) S {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

func lesserBytes(a, b []byte) []byte { return []byte(lesser(string(a), string(b))) }

func greater(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return b
	}
	return a
}

// union returns the elements of two lists, sorted, each once.
func union[T any](a, b []T, compare func(x, y T) int) []T {
	if len(a)+len(b) == 0 {
		return nil
	}
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, compare)
	return slices.CompactFunc(all, func(x, y T) bool { return compare(x, y) == 0 })
}
