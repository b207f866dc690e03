package aimem

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

const (
	urnPrefix    = "urn:aimem:"
	recordPrefix = "urn:ump:"
	entityPrefix = "entity:" // of a relation's target
	maxLocal     = 256
)

// base32Lower is the alphabet of the names we make.
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// plainLocal is what we write after the namespace: a part of what may be read
// (decision AD-8). One with the ending of a part is left to parts.
var (
	plainLocal = pattern.New(`^[A-Za-z0-9._~-]{1,240}$`)
	partLocal  = pattern.New(`\.p[1-9][0-9]*$`)
)

// Namespace is a Producer Namespace (section 1.2). Its methods make the URNs of the
// producer's chunks and entities, and recognize them.
type Namespace string

// urn returns the URN with a local part in the namespace.
func (n Namespace) urn(local string) URN { return URN(urnPrefix + string(n) + ":" + local) }

// local returns the local part of a URN in the namespace.
func (n Namespace) local(urn URN) (string, bool) {
	return strings.CutPrefix(string(urn), urnPrefix+string(n)+":")
}

// Contains reports whether a URN is in the namespace.
func (n Namespace) Contains(urn URN) bool {
	_, ok := n.local(urn)
	return ok
}

// URN returns the URN of a record's chunk. It depends on the id alone: the id without
// "urn:ump:", or a hash of an id with characters that we do not write in URNs.
func (n Namespace) URN(id memory.ID) URN {
	local, ours := strings.CutPrefix(string(id), recordPrefix)
	if !ours || !plainLocal.MatchString(local) || partLocal.MatchString(local) {
		return n.hashedURN(id)
	}
	return n.urn(local)
}

// hashedURN returns the URN of a record's chunk if the other URN is not valid or is
// taken.
func (n Namespace) hashedURN(id memory.ID) URN { return n.urn("u-" + shortHash(string(id))) }

// RecordOf returns the id of the record that has a URN by [Namespace.URN], unless the URN
// is a hash. It returns false for a URN outside the namespace.
func (n Namespace) RecordOf(urn URN) (memory.ID, bool) {
	local, ok := n.local(urn)
	return memory.ID(recordPrefix + local), ok && n != ""
}

// Alias returns the URN in the namespace for a chunk or entity of another namespace:
// "imp-" and 26 letters and digits of a hash of its URN (decision AD-7).
func (n Namespace) Alias(origin URN) URN { return n.urn("imp-" + shortHash(string(origin))) }

// AliasHash returns the 16 bytes of the hash in an alias, and false for any other URN.
func (n Namespace) AliasHash(alias URN) (hash [16]byte, ok bool) {
	local, inside := n.local(alias)
	short, ok := strings.CutPrefix(local, "imp-")
	if !inside || !ok {
		return hash, false
	}
	raw, err := base32Lower.DecodeString(short)
	if err != nil || len(raw) != len(hash) || base32Lower.EncodeToString(raw) != short {
		return hash, false
	}
	return [16]byte(raw), true
}

// AliasFromHash returns the alias with these 16 bytes of hash, see [Namespace.AliasHash].
func (n Namespace) AliasFromHash(hash [16]byte) URN {
	return n.urn("imp-" + base32Lower.EncodeToString(hash[:]))
}

// EntityURN returns the URN of the entity that relations to a name become.
func (n Namespace) EntityURN(name string) URN { return n.urn("ent-" + shortHash(name)) }

// isEntityURN reports whether a URN is the EntityURN of some name.
func (n Namespace) isEntityURN(id URN) bool {
	local, inside := n.local(id)
	short, ok := strings.CutPrefix(local, "ent-")
	raw, err := base32Lower.DecodeString(short)
	return inside && ok && err == nil && len(raw) == 16
}

// Keeps reports whether an entity may leave under its own URN: the URN is in the
// namespace, and is neither an alias nor the EntityURN of another name. Otherwise an
// imported entity could take the URN that we make for something else.
func (n Namespace) Keeps(id URN, name string) bool {
	if namespaceOf(id) != n {
		return false
	}
	_, alias := n.AliasHash(id)
	return !alias && (!n.isEntityURN(id) || id == n.EntityURN(name))
}

// shortHash is the first 16 bytes of SHA-256, as 26 characters.
func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base32Lower.EncodeToString(sum[:16])
}

// textHash is content_hash of a text.
func textHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return checksumPrefix + hex.EncodeToString(sum[:])
}

// namespaceOf returns the namespace of a URN, and "" for anything else (section 2.3).
func namespaceOf(id URN) Namespace {
	rest, ok := strings.CutPrefix(string(id), urnPrefix)
	producer, local, found := strings.Cut(rest, ":")
	if !ok || !found || local == "" || len(local) > maxLocal || !IsProducer(producer) {
		return ""
	}
	for _, c := range []byte(local) {
		if c < 0x21 || c > 0x7e || c == ':' {
			return ""
		}
	}
	return Namespace(producer)
}

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
