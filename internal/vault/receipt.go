package vault

import (
	"crypto/hmac"
	"crypto/rand"
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

// requestDigest identifies the request under an idempotency key. It is keyed, so that
// the remains of a forgotten text cannot confirm a guess at it.
func (k *keyring) requestDigest(owner memory.DID, op, key string, said []byte) string {
	if key == "" {
		return ""
	}
	h := hmac.New(sha256.New, k.receiptKey(owner))
	h.Write([]byte(op + "\x00"))
	h.Write(said)
	return hex.EncodeToString(h.Sum(nil))
}

// receiptKey is derived from the owner's key, or else from the home owner's, so that
// every server has the same key. Without either, it lasts as long as the process.
func (k *keyring) receiptKey(owner memory.DID) []byte {
	if key := k.holder(owner); key != nil {
		return key.Secret("satchel digests of requests")
	}
	if key := k.holder(k.home); key != nil {
		return key.Secret("satchel digests of requests of " + string(owner))
	}
	k.secretOnce.Do(func() {
		k.secret = make([]byte, 32)
		_, _ = rand.Read(k.secret) // never fails
	})
	return k.secret
}

// once runs do unless key has been used; then it copies the earlier answer into answer.
// It refuses a key that was used for another request. Without a key, do simply runs.
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
		// Stored once more, the receipt makes this commit wait as the first one did, until the
		// replicas of the store have both.
		return errors.Join(json.Unmarshal(old.Answer, answer), w.SetReceipt(old, receiptsKept))
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
