package aaif

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/canon"
)

// Checksum returns the checksum of a state: the SHA-256, in lower-case hex, of its
// canonical form (RFC 8785) without provenance.checksum. It covers the migration token
// (decision R5, AAIF-8.1-23).
func Checksum(v canon.Value) string { return digest(without(v, "checksum")) }

// Digest returns the digest by which a migration token binds a state: the SHA-256, in
// lower-case hex, of its canonical form without checksum and token. A checksum does not
// bind, as anybody can compute one (decision R6).
func Digest(v canon.Value) string { return digest(without(without(v, "checksum"), "migration_token")) }

// WithChecksum returns a state with its checksum. Set the checksum last.
func WithChecksum(v canon.Value) canon.Value {
	from := asObject(v.Get("provenance"))
	return v.With("provenance", from.With("checksum", canon.String(Checksum(v.With("provenance", from)))))
}

// WithoutTrace returns a state without the stack_trace of its error, which shows how this
// platform is built, so that the state may leave (AAIF-12-18). Set the checksum
// afterwards.
func WithoutTrace(v canon.Value) canon.Value {
	if !v.Get("error").Has("stack_trace") {
		return v
	}
	return v.With("error", v.Get("error").Without("stack_trace"))
}

// VerifyChecksum refuses a state whose checksum is missing, malformed, or the checksum of
// another document (AAIF-8.1-24).
func VerifyChecksum(v canon.Value) error {
	const pointer = "/provenance/checksum"
	sum := v.Get("provenance").Get("checksum").Text()
	switch {
	case !checksumForm.MatchString(sum):
		return fault(ChecksumMismatch, "8.1-24", pointer, "not 64 hexadecimal digits in lower case")
	case sum != Checksum(v):
		return fault(ChecksumMismatch, "8.1-24", pointer, "not the checksum of this document, which was changed or damaged")
	}
	return nil
}

// without returns a state without a member of its provenance. The provenance stays.
func without(v canon.Value, member string) canon.Value {
	if !v.Has("provenance") {
		return v
	}
	return v.With("provenance", v.Get("provenance").Without(member))
}

func digest(v canon.Value) string {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return hex.EncodeToString(sum[:])
}
