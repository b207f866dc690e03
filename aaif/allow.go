package aaif

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/canon"
)

// AllowList reads a list of texts that look like secrets and are none, for
// [SecretOptions]. It is an object with a list "allow" of objects, each with the
// "pointer" where a text stands and its "sha256" in lower-case hex, and an
// "attestation" as [Attest] makes it, by one of the keys of whoever answers for it
// (decision R47).
func AllowList(v canon.Value, trusted []ed25519.PublicKey) (allow func(pointer, text string) bool, err error) {
	if _, err := VerifyAttestation(v, trusted); err != nil {
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
