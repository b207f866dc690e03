package stored

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// Revoked is what an owner's row says of the grants that are revoked, whose ids
// are given in their order: [SealSize] bytes. It needs no key, since that row is
// sealed.
func Revoked(ids []string) []byte {
	var list []byte
	for _, id := range ids {
		list = appendText(list, markText, id)
	}
	d := sha256.Sum256(list)
	return d[:SealSize]
}

// PutBack returns which grant only seems to be in force, given what the owner's row says
// of those that are revoked, and the ids of those that say themselves that they are
// revoked or in force: the one with which the digest comes out, since it was put back to
// what it said before. "": there is none such.
func PutBack(said []byte, revoked, inForce []string) string {
	if bytes.Equal(said, Revoked(revoked)) {
		return ""
	}
	for _, id := range inForce {
		place, _ := slices.BinarySearch(revoked, id)
		if bytes.Equal(said, Revoked(slices.Insert(slices.Clone(revoked), place, id))) {
			return id
		}
	}
	return ""
}
