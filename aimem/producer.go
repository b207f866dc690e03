package aimem

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// MaxProducer is the most characters of a Producer Namespace (section 1.2).
const MaxProducer = 63

// IsProducer reports whether name is a Producer Namespace: 1 to 63 characters of
// a-z, 0-9 and - (section 2.3).
func IsProducer(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= MaxProducer
}

// ProducerName returns the Producer Namespace of an owner who has chosen none: one
// that nobody else has, as far as hashes go.
func ProducerName(owner memory.DID) string {
	digest := sha256.Sum256([]byte(owner))
	return "satchel-" + base32Lower.EncodeToString(digest[:])[:10]
}

// ProducerKey returns the key that signs the bundles of an owner. It is derived
// from the owner's, of which it tells nothing; each generation, from 1, is another.
func ProducerKey(owner keys.Private, generation int) (keys.Private, error) {
	if owner.IsZero() {
		return keys.Private{}, keys.ErrNoKey
	}
	if generation < 1 {
		return keys.Private{}, fmt.Errorf("derive the producer's key: there is no generation %d", generation)
	}
	return keys.FromSeed(owner.Secret("satchel AIMEM producer key " + strconv.Itoa(generation)))
}
