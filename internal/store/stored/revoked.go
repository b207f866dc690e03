package stored

import "crypto/sha256"

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
