package replica

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Erasure counts how often a record was erased and brought back. An odd count means that it is
// erased. Of two counts the greater one holds.
type Erasure int

// Join returns the greater count.
func (e Erasure) Join(o Erasure) Erasure { return max(e, o) }

// Erased reports whether the record is erased.
func (e Erasure) Erased() bool { return e%2 == 1 }

// ErasureSecret returns the owner's secret for [ErasureMark].
func ErasureSecret(owner keys.Private) []byte {
	return owner.Secret("satchel marks of records that a machine erased")
}

// ErasureMark returns the mark of a record's id: a keyed hash, in 40 hexadecimal digits. It
// reveals the id only to machines that know the id and the secret.
func ErasureMark(secret []byte, id memory.ID) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(id))
	return hex.EncodeToString(h.Sum(nil)[:20])
}
