package ump

import (
	"encoding/base32"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/memory"
)

const idPrefix = "urn:ump:"

// base32Lower is the alphabet of ids and hashes: RFC 4648, lower case, without
// padding (decision UD-4).
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// maxLocalID is the most bytes of an id after its prefix.
const maxLocalID = 255

// ValidID reports whether id has the form of an id: "urn:ump:" and up to 255 of the
// unreserved characters of a URI and colons, the first a letter or a digit (decision
// UD-4). Ids are opaque (UMP-6.2-4).
func ValidID(id memory.ID) bool {
	s := string(id)
	if len(s) <= len(idPrefix) || s[:len(idPrefix)] != idPrefix {
		return false
	}
	s = s[len(idPrefix):]
	if len(s) > maxLocalID || !isAlphanumeric(s[0]) {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isAlphanumeric(c), c == '.', c == '_', c == ':', c == '~', c == '-':
		default:
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// RandomID returns an id of level 1: 128 bits from random (UMP-6.2-1).
func RandomID(random io.Reader) (memory.ID, error) {
	var bits [16]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", fmt.Errorf("ump: drawing an id: %w", err)
	}
	return memory.ID(idPrefix + base32Lower.EncodeToString(bits[:])), nil
}
