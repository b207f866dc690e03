package keys

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"fmt"

	"github.com/satchel-memory/satchel/memory"
)

// A wrapped key is a version, a random nonce of 12 bytes, and the 32 bytes of the seed
// encrypted with AES-256-GCM, with their tag of 16 bytes. The encryption authenticates the
// DID of the key, so that a wrapped key cannot take the place of another owner's.
const (
	wrapVersion = 1
	// WrappedSize is the size of a wrapped key.
	WrappedSize = 1 + 12 + ed25519.SeedSize + 16
	// wrapSecret is the size of the secret: that of [Private.Secret].
	wrapSecret = 32
)

// Wrap encrypts p under a secret of 32 bytes, such as another key's [Private.Secret], for
// storage that others may read. Each call gives other bytes; [Unwrap] opens them.
func (p Private) Wrap(secret []byte) ([]byte, error) {
	if p.IsZero() {
		return nil, fmt.Errorf("wrap a key: %w", ErrNoKey)
	}
	gcm, err := wrapper(secret)
	if err != nil {
		return nil, fmt.Errorf("wrap a key: %w", err)
	}
	return gcm.Seal([]byte{wrapVersion}, nil, p.Seed(), []byte(p.DID())), nil
}

// Unwrap returns the key of did from its wrapped form under a secret. The error wraps
// [ErrMalformed] if the bytes are cut short or come from a newer version of this program.
// It wraps [ErrSecret] for another secret or another owner's key.
func Unwrap(secret []byte, did memory.DID, wrapped []byte) (Private, error) {
	gcm, err := wrapper(secret)
	switch {
	case err != nil:
	case len(wrapped) != WrappedSize:
		err = fmt.Errorf("%w: a wrapped key has %d bytes, not %d", ErrMalformed, WrappedSize, len(wrapped))
	case wrapped[0] != wrapVersion:
		err = fmt.Errorf("%w: it was made by a newer version of this program", ErrMalformed)
	}
	if err != nil {
		return Private{}, fmt.Errorf("unwrap the key of %s: %w", did, err)
	}
	seed, err := gcm.Open(nil, nil, wrapped[1:], []byte(did))
	if err != nil {
		return Private{}, fmt.Errorf("unwrap the key of %s: %w", did, ErrSecret)
	}
	p, err := FromSeed(seed)
	if err != nil {
		return Private{}, err
	}
	if p.DID() != did {
		return Private{}, fmt.Errorf("unwrap the key of %s: %w", did, ErrSecret)
	}
	return p, nil
}

func wrapper(secret []byte) (cipher.AEAD, error) {
	if len(secret) != wrapSecret {
		return nil, fmt.Errorf("%w: the secret has %d bytes, not %d", ErrMalformed, len(secret), wrapSecret)
	}
	return sealer(secret)
}

// Sealer returns an AES-256-GCM cipher under the key's [Private.Secret] for a purpose. A
// sealed text is a random nonce of 12 bytes, the encrypted text and a tag of 16 bytes;
// callers pass an empty nonce. It fails for the zero Private.
func (p Private) Sealer(purpose string) (cipher.AEAD, error) { return sealer(p.Secret(purpose)) }

func sealer(secret []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
