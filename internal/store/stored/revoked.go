package stored

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// RevokedDigest is the digest of the revoked grants' ids, in order, for the owner's row:
// [SealSize] bytes. It needs no key, because that row is sealed.
func RevokedDigest(ids []string) []byte {
	var list []byte
	for _, id := range ids {
		list = appendText(list, markText, id)
	}
	d := sha256.Sum256(list)
	return d[:SealSize]
}

// triedGrants limits how many sets of grants PutBack tries: two of 200, five of 20.
const triedGrants = 25_000

// PutBack returns the grants that only seem to be in force, because somebody restored their
// earlier rows. said is the digest in the owner's row; revoked and inForce are the ids by
// the grants' own rows. PutBack returns the smallest set that gives the digest, or none if
// there is no such set or the search is too long.
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

// Agrees reports whether the row names exactly these ids, in order, as revoked, or names
// none.
func (o *Owner) Agrees(revoked []string) bool {
	return !o.Revokes() || bytes.Equal(RevokedDigest(revoked), o.Revoked)
}
