package aimem

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"strings"

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

// urnOf names the chunk of a record: the id without "urn:ump:", or a hash of an id
// that has other characters than we write.
func urnOf(producer string, id memory.ID) URN {
	local, ours := strings.CutPrefix(string(id), recordPrefix)
	if !ours || !plainLocal.MatchString(local) || partLocal.MatchString(local) {
		return hashedURN(producer, id)
	}
	return URN(urnPrefix + producer + ":" + local)
}

// hashedURN names the chunk of a record whose own name does not do, or is taken.
func hashedURN(producer string, id memory.ID) URN {
	return URN(urnPrefix + producer + ":u-" + shortHash(string(id)))
}

// aliasOf names in our namespace what came from another.
func aliasOf(producer string, origin URN) URN {
	return URN(urnPrefix + producer + ":imp-" + shortHash(string(origin)))
}

// aliasMark is the inverse of the last step of aliasOf: the 16 bytes that an alias
// spells.
func aliasMark(producer string, name URN) (mark [16]byte, ok bool) {
	short, ok := strings.CutPrefix(string(name), urnPrefix+producer+":imp-")
	if !ok {
		return mark, false
	}
	raw, err := base32Lower.DecodeString(short)
	if err != nil || len(raw) != len(mark) || base32Lower.EncodeToString(raw) != short {
		return mark, false
	}
	return [16]byte(raw), true
}

// markedAlias is the alias that spells 16 bytes.
func markedAlias(producer string, mark [16]byte) URN {
	return URN(urnPrefix + producer + ":imp-" + base32Lower.EncodeToString(mark[:]))
}

// entityURN names the entity of a name.
func entityURN(producer, name string) URN {
	return URN(urnPrefix + producer + ":ent-" + shortHash(name))
}

// isEntityURN reports whether a URN is that of some name's entity.
func isEntityURN(producer string, id URN) bool {
	short, ok := strings.CutPrefix(string(id), urnPrefix+producer+":ent-")
	raw, err := base32Lower.DecodeString(short)
	return ok && err == nil && len(raw) == 16
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

// namespaceOf returns the producer in a URN, and "" of what is none (section 2.3).
func namespaceOf(id URN) string {
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
	return producer
}
