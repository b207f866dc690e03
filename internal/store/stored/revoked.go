package stored

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// RevokedDigest is what an owner's row says of the grants that are revoked, whose ids
// are given in their order: [SealSize] bytes. It needs no key, since that row is
// sealed.
func RevokedDigest(ids []string) []byte {
	var list []byte
	for _, id := range ids {
		list = appendText(list, markText, id)
	}
	d := sha256.Sum256(list)
	return d[:SealSize]
}

// triedGrants bounds how many sets of grants PutBack tries: two of 200, five of 20.
const triedGrants = 25_000

// PutBack returns which grants only seem to be in force, given what the owner's row says
// of those that are revoked, and the ids of those that say themselves that they are
// revoked or in force: the fewest with which the digest comes out, since they were put
// back to what they said before. None: there are no such, or too many to find.
func PutBack(said []byte, revoked, inForce []string) []string {
	if bytes.Equal(said, RevokedDigest(revoked)) {
		return nil
	}
	left := triedGrants
	var search func(with, from []string, more int) []string
	search = func(with, from []string, more int) []string {
		for i, id := range from {
			if left <= 0 {
				return nil
			}
			next := append(slices.Clone(with), id)
			if more > 1 {
				if found := search(next, from[i+1:], more-1); found != nil {
					return found
				}
				continue
			}
			left--
			all := slices.Concat(revoked, next)
			slices.Sort(all)
			if bytes.Equal(said, RevokedDigest(all)) {
				return next
			}
		}
		return nil
	}
	for size := 1; size <= len(inForce) && left > 0; size++ {
		if found := search(nil, inForce, size); found != nil {
			return found
		}
	}
	return nil
}

// Revokes reports whether the owner has revoked grants.
func (o *Owner) Revokes() bool { return !bytes.Equal(o.Revoked, RevokedDigest(nil)) }

// Agrees reports whether the row says of some ids, which are given in their order, that
// their grants are revoked, or that none is.
func (o *Owner) Agrees(revoked []string) bool {
	return !o.Revokes() || bytes.Equal(RevokedDigest(revoked), o.Revoked)
}
