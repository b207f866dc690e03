package engram

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// NewID makes a UUIDv4 from 16 random bytes.
func NewID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return uuid(b), nil
}

// IDFrom derives an id from texts: the first half of their SHA-256 in the shape of a
// UUIDv4. It joins several texts with NUL.
func IDFrom(parts ...string) string {
	digest := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return uuid([16]byte(digest[:16]))
}

// SubjectID returns the subject.id of an owner: stable, and without any information about
// them (decision E-37).
func SubjectID(owner memory.DID) string { return IDFrom("engram-subject:" + string(owner)) }

// uuid writes bytes as a UUID of version 4 and the usual variant.
func uuid(b [16]byte) string {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// ParseInstant reads a time of the wire: RFC 3339 with any offset and any fraction
// (decision E-38).
func ParseInstant(s string) (time.Time, bool) { return memory.ParseInstant(s) }

// FormatInstant spells a time in UTC and whole seconds.
func FormatInstant(t time.Time) string { return t.UTC().Format(time.RFC3339) }
