package privacy

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// AllowList reads a list of texts that look like secrets but are none, for
// [SecretOptions]. The list is an object with a member "allow": an array of objects, each
// with the "pointer" of a text and the text's "sha256" in lower-case hex. Its
// "attestation", made by [aaif.Attest], has to be signed with one of the trusted keys
// (decision R47).
func AllowList(v canon.Value, trusted []ed25519.PublicKey) (allow func(pointer, text string) bool, err error) {
	if _, err := aaif.VerifyAttestation(v, trusted); err != nil {
		return nil, err
	}
	type place struct{ pointer, sum string }
	allowed := map[place]bool{}
	for _, entry := range v.Get("allow").Items() {
		allowed[place{entry.Get("pointer").Text(), entry.Get("sha256").Text()}] = true
	}
	return func(pointer, text string) bool {
		sum := sha256.Sum256([]byte(text))
		return allowed[place{pointer, hex.EncodeToString(sum[:])}]
	}, nil
}
