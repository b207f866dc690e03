package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/keys"
)

const (
	secretInfo = "satchel audit log, secret of the marks, v1"
	markInfo   = "satchel audit mark v1\x00"
	markBytes  = 16
)

// Secret derives the key of an owner's marks from the owner's key. It is nil for the zero
// key.
func Secret(key keys.Private) []byte { return key.Secret(secretInfo) }

// Mark returns what stands for an id or a name in the log: the first 16 bytes, in hex, of a
// keyed HMAC-SHA-256. Without a secret Mark returns "", which entries leave out, because
// anybody could guess the value of an unkeyed mark.
func (l Log) Mark(value string) string {
	if len(l.Secret) == 0 || value == "" {
		return ""
	}
	h := hmac.New(sha256.New, l.Secret)
	h.Write([]byte(markInfo))
	h.Write([]byte(value))
	return hex.EncodeToString(h.Sum(nil)[:markBytes])
}

// isMark reports whether s has the form of a mark.
func isMark(s string) bool {
	if len(s) != 2*markBytes {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
