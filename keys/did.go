package keys

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"strings"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"

	"github.com/satchel-memory/satchel/memory"
)

const (
	didKey = "did:key:"
	// codecEd25519 is the multicodec of an Ed25519 public key, written as a
	// varint: 0xed 0x01.
	codecEd25519 = 0xed
	// beginEd25519 begins every Ed25519 did:key. A did:key that begins so and is no Ed25519
	// key lost or gained a character on its way.
	beginEd25519 = "z6Mk"
	// maxDIDKey bounds the text to decode: decoding base58 takes quadratic time. The
	// largest common key, RSA with 4096 bits, needs some 720 characters.
	maxDIDKey = 1024
)

// DID returns the did:key of an Ed25519 public key: "did:key:z" and the base58
// form of 0xed, 0x01 and the 32 bytes of the key. It returns "" for bytes of
// any other length.
func DID(pub ed25519.PublicKey) memory.DID {
	if len(pub) != ed25519.PublicKeySize {
		return ""
	}
	coded := append(binary.AppendUvarint(nil, codecEd25519), pub...)
	return memory.DID(didKey + "z" + base58.Encode(coded))
}

// IsWeak reports whether a public key is a point of small order. No private key belongs to
// such a point, and anybody can make signatures that it verifies.
func IsWeak(pub ed25519.PublicKey) bool {
	point, err := new(edwards25519.Point).SetBytes(pub)
	return err == nil && point.MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1
}

// Public returns the Ed25519 key of a did:key; it ignores a fragment. It returns
// [ErrNotResolvable] for other methods and other types of key, and [ErrMalformed] for a
// text that is no DID, a broken did:key, or a weak key.
func Public(did memory.DID) (ed25519.PublicKey, error) {
	if err := checkDID(did); err != nil {
		return nil, err
	}
	id, isKey := strings.CutPrefix(withoutFragment(did), didKey)
	if !isKey {
		return nil, fmt.Errorf("%w: only did:key carries its own key", ErrNotResolvable)
	}
	coded, err := multibase(id)
	if err != nil {
		return nil, err
	}
	codec, n := binary.Uvarint(coded)
	switch {
	case codec == codecEd25519 && n == 2 && len(coded) == n+ed25519.PublicKeySize:
		if IsWeak(coded[n:]) {
			return nil, fmt.Errorf("%w did:key: everybody can sign for this key", ErrMalformed)
		}
		return ed25519.PublicKey(coded[n:]), nil
	case n <= 0 || codec == codecEd25519 || strings.HasPrefix(id, beginEd25519):
		return nil, fmt.Errorf("%w did:key: an Ed25519 key has %d bytes", ErrMalformed, ed25519.PublicKeySize)
	}
	return nil, fmt.Errorf("%w: did:key of type 0x%x, not Ed25519", ErrNotResolvable, codec)
}

// multibase decodes the method-specific part of a did:key.
func multibase(id string) ([]byte, error) {
	digits, ok := strings.CutPrefix(id, "z")
	if !ok || len(digits) == 0 || len(digits) > maxDIDKey {
		return nil, fmt.Errorf("%w did:key: expected z and at most %d characters of base58", ErrMalformed, maxDIDKey)
	}
	coded, err := base58.Decode(digits)
	if err != nil {
		return nil, fmt.Errorf("%w did:key: a character is not of base58", ErrMalformed)
	}
	return coded, nil
}

// checkDID reports whether did has the syntax of a DID of any method: "did:", a method in
// lower-case letters and digits, and an identifier without white space. The error wraps
// [ErrMalformed].
func checkDID(did memory.DID) error {
	rest, ok := strings.CutPrefix(withoutFragment(did), "did:")
	method, id, found := strings.Cut(rest, ":")
	isMethod := func(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }
	isSpace := func(r rune) bool { return r <= ' ' || r == 0x7f }
	switch {
	case !ok || !found || method == "" || strings.ContainsFunc(method, func(r rune) bool { return !isMethod(r) }):
		return fmt.Errorf("%w: a DID has the form did:<method>:<identifier>", ErrMalformed)
	case id == "" || strings.ContainsFunc(id, isSpace):
		return fmt.Errorf("%w: the DID has no usable identifier", ErrMalformed)
	}
	return nil
}

func withoutFragment(did memory.DID) string {
	s, _, _ := strings.Cut(string(did), "#")
	return s
}
