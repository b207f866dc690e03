package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// receiptsKept is how long an idempotency key is remembered.
const receiptsKept = 24 * time.Hour

// requestDigest identifies what was asked under an idempotency key.
func requestDigest(op string, parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(op))
	for _, p := range parts {
		h.Write([]byte{0})
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// once runs do unless key has been used: then answer gets what was answered
// then. A key that is used for another request is refused. Without a key, do
// simply runs.
func once[T any](w store.Writer, key, request string, now time.Time, answer *T, do func() error) error {
	if key == "" {
		return do()
	}
	old, err := w.Receipt(key)
	switch {
	case err == nil && now.Sub(old.At) < receiptsKept:
		if old.Request != request {
			return &memory.Error{Kind: memory.InvalidRecord,
				Message: "this idempotency key was used for another request; use a new one"}
		}
		return json.Unmarshal(old.Answer, answer)
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	}
	if err := do(); err != nil {
		return err
	}
	told, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return w.SetReceipt(store.Receipt{Key: key, Request: request, Answer: told, At: now}, receiptsKept)
}
