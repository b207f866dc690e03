package keys

import (
	"crypto/ed25519"
	"crypto/sha512"
	"crypto/subtle"
	"fmt"
	"hash"
	"io"

	"filippo.io/edwards25519"
)

// SignStream returns the signature that [Private.Sign] would return for the bytes that
// message writes, without holding them. It calls message twice, and message must write the
// same bytes both times. It returns message's error, and [ErrNoKey] for the zero Private.
// It refuses a message that changed the second time: two such signatures would reveal the
// key.
func (p Private) SignStream(message func(io.Writer) error) ([]byte, error) {
	if p.IsZero() {
		return nil, ErrNoKey
	}
	expanded := sha512.Sum512(p.Seed())
	secret, err := edwards25519.NewScalar().SetBytesWithClamping(expanded[:32])
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err) // impossible: it is 32 bytes
	}
	first, second := sha512.New(), sha512.New()
	nonce, challenge := sha512.New(), sha512.New()
	nonce.Write(expanded[32:])
	if err := message(io.MultiWriter(nonce, first)); err != nil {
		return nil, err
	}
	r := wide(nonce)
	point := new(edwards25519.Point).ScalarBaseMult(r).Bytes()
	challenge.Write(point)
	challenge.Write(p.Public())
	if err := message(io.MultiWriter(challenge, second)); err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(first.Sum(nil), second.Sum(nil)) != 1 {
		return nil, fmt.Errorf("sign: the message changed while it was read; try again when nothing writes to it")
	}
	s := edwards25519.NewScalar().MultiplyAdd(wide(challenge), secret, r)
	return append(point, s.Bytes()...), nil
}

// Verification checks a signature of a message that the caller writes to it, in pieces of
// any size. It holds nothing of the message. It is not safe for concurrent use.
type Verification struct {
	digest    hash.Hash // SHA-512 of R, the key, and the message so far
	key       *edwards25519.Point
	signature []byte
}

// NewVerification starts to verify a signature. It returns nil if no message can make the
// signature valid: the key or signature has a wrong length, or the key is no point of the
// curve.
func NewVerification(pub ed25519.PublicKey, signature []byte) *Verification {
	if len(pub) != ed25519.PublicKeySize || len(signature) != ed25519.SignatureSize {
		return nil
	}
	key, err := new(edwards25519.Point).SetBytes(pub)
	if err != nil {
		return nil
	}
	v := &Verification{digest: sha512.New(), key: key, signature: signature}
	v.digest.Write(signature[:32])
	v.digest.Write(pub)
	return v
}

// Write takes the next piece of the message. It never fails.
func (v *Verification) Write(piece []byte) (int, error) { return v.digest.Write(piece) }

// Valid reports whether the signature is valid for the written message. It agrees with
// ed25519.Verify of the whole message.
func (v *Verification) Valid() bool {
	s, err := edwards25519.NewScalar().SetCanonicalBytes(v.signature[32:])
	if err != nil {
		return false
	}
	minus := new(edwards25519.Point).Negate(v.key)
	r := new(edwards25519.Point).VarTimeDoubleScalarBaseMult(wide(v.digest), minus, s)
	return subtle.ConstantTimeCompare(r.Bytes(), v.signature[:32]) == 1
}

// wide reduces a SHA-512 digest to a scalar.
func wide(h hash.Hash) *edwards25519.Scalar {
	s, err := edwards25519.NewScalar().SetUniformBytes(h.Sum(nil))
	if err != nil {
		panic(err) // impossible: it is 64 bytes
	}
	return s
}
