package aimem

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"github.com/veraison/go-cose"

	"github.com/satchel-memory/satchel/keys"
)

// KeyMediaType is that of a published key (decision AD-25).
const KeyMediaType = "application/cose-key"

// KeyPath is where a server publishes the key that its bundles are signed with
// (section 5.3, decision AD-25).
const KeyPath = "/.well-known/aimem-pubkey"

// MaxKeySet is the most bytes of a key or a set of keys.
const MaxKeySet = 64 << 10

// ErrKey means that something is no public key that producers sign with. What
// wraps it says why.
var ErrKey = errors.New("no key that bundles are signed with")

// coseKey is a COSE_Key (RFC 9052, section 7).
type coseKey struct {
	Type      int64             `cbor:"1,keyasint"`
	ID        []byte            `cbor:"2,keyasint,omitempty"`
	Algorithm int64             `cbor:"3,keyasint,omitempty"`
	Ops       []cbor.RawMessage `cbor:"4,keyasint,omitempty"`
	Curve     int64             `cbor:"-1,keyasint"`
	X         []byte            `cbor:"-2,keyasint"`
	Y         cbor.RawMessage   `cbor:"-3,keyasint,omitempty"`
	Secret    cbor.RawMessage   `cbor:"-4,keyasint,omitempty"`
}

// PublicKey returns the key that bundles signed with p are verified by.
func PublicKey(p keys.Private) Key { return Key{ID: []byte(p.DID()), Public: p.Public()} }

// Name names a key for people: an Ed25519 key by its did:key, another by the URI of
// its COSE Key Thumbprint (RFC 9679), whatever its kid is or is not.
func (k Key) Name() string {
	switch pub := k.Public.(type) {
	case ed25519.PublicKey:
		return string(keys.DID(pub))
	case *ecdsa.PublicKey:
		return thumbprint(pub)
	}
	return ""
}

// thumbprint is the URI of the hash of a P-256 key as {1: EC2, -1: P-256,
// -2: x, -3: y} in deterministic CBOR.
func thumbprint(pub *ecdsa.PublicKey) string {
	point, err := pub.Bytes()
	if err != nil || pub.Curve != elliptic.P256() {
		return ""
	}
	required := []byte{0xa4, 0x01, byte(cose.KeyTypeEC2), 0x20, byte(cose.CurveP256)}
	required = append(append(required, 0x21, 0x58, 32), point[1:33]...)
	required = append(append(required, 0x22, 0x58, 32), point[33:]...)
	sum := sha256.Sum256(required)
	return "urn:ietf:params:oauth:ckt:sha-256:" + base64.RawURLEncoding.EncodeToString(sum[:])
}

// Equal reports whether both are the same key, whatever they are called.
func (k Key) Equal(other Key) bool {
	pub, ok := k.Public.(interface{ Equal(crypto.PublicKey) bool })
	return ok && pub.Equal(other.Public)
}

// EncodeKey returns a key as a COSE_Key map, as /.well-known/aimem-pubkey serves it
// (decision AD-25). It fails with [ErrKey] for what is neither Ed25519 nor P-256.
func EncodeKey(k Key) ([]byte, error) {
	encoded := coseKey{ID: k.ID}
	switch pub := k.Public.(type) {
	case ed25519.PublicKey:
		encoded.Type, encoded.Algorithm = int64(cose.KeyTypeOKP), int64(cose.AlgorithmEdDSA)
		encoded.Curve, encoded.X = int64(cose.CurveEd25519), pub
	case *ecdsa.PublicKey:
		point, err := pub.Bytes()
		if err != nil || pub.Curve != elliptic.P256() {
			return nil, fmt.Errorf("%w: it is not on the curve P-256", ErrKey)
		}
		encoded.Type, encoded.Algorithm = int64(cose.KeyTypeEC2), int64(cose.AlgorithmES256)
		encoded.Curve, encoded.X = int64(cose.CurveP256), point[1:33]
		if encoded.Y, err = cbor.Marshal(point[33:]); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%w: it is neither Ed25519 nor P-256", ErrKey)
	}
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(encoded)
}

// DecodeKeys reads a COSE_Key, or a COSE_KeySet of which it returns the keys that
// bundles may be signed with (decision AD-25). It fails with [ErrKey] where there
// is none, and for a single key that is none.
func DecodeKeys(data []byte) ([]Key, error) {
	if len(data) > MaxKeySet {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrKey, MaxKeySet)
	}
	mode, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden, MaxNestedLevels: 8,
	}.DecMode()
	if err != nil {
		return nil, err
	}
	if len(data) == 0 || data[0]>>5 != 4 {
		key, err := decodeKey(mode, data)
		if err != nil {
			return nil, err
		}
		return []Key{key}, nil
	}
	var set []cbor.RawMessage
	if err := mode.Unmarshal(data, &set); err != nil {
		return nil, fmt.Errorf("%w: it is no COSE_KeySet", ErrKey)
	}
	var found []Key
	for _, raw := range set {
		if key, err := decodeKey(mode, raw); err == nil { // RFC 9052 has others passed over
			found = append(found, key)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: the set has none", ErrKey)
	}
	return found, nil
}

func decodeKey(mode cbor.DecMode, data []byte) (Key, error) {
	var k coseKey
	if err := mode.Unmarshal(data, &k); err != nil {
		return Key{}, fmt.Errorf("%w: it is no COSE_Key", ErrKey)
	}
	switch {
	case len(k.Secret) > 0:
		return Key{}, fmt.Errorf("%w: it is a private key; give the public one only", ErrKey)
	case k.Ops != nil && !k.verifies():
		return Key{}, fmt.Errorf("%w: it is not meant for verifying", ErrKey)
	}
	switch {
	case k.Type == int64(cose.KeyTypeOKP) && k.Curve == int64(cose.CurveEd25519) && len(k.X) == ed25519.PublicKeySize &&
		k.isFor(cose.AlgorithmEdDSA, algorithmEd25519):
		if keys.IsWeak(k.X) {
			return Key{}, fmt.Errorf("%w: everybody can sign for it", ErrKey)
		}
		return k.key(ed25519.PublicKey(k.X)), nil
	case k.Type == int64(cose.KeyTypeEC2) && k.Curve == int64(cose.CurveP256) && len(k.X) == 32 && k.isFor(cose.AlgorithmES256):
		pub, err := k.point(mode)
		return k.key(pub), err
	}
	return Key{}, fmt.Errorf("%w: it is neither Ed25519 nor P-256", ErrKey)
}

// isFor reports whether the key may be used with one of the algorithms.
func (k coseKey) isFor(algorithms ...cose.Algorithm) bool {
	for _, a := range algorithms {
		if k.Algorithm == int64(a) {
			return true
		}
	}
	return k.Algorithm == 0
}

// verifies reports whether verifying is among the operations of the key.
func (k coseKey) verifies() bool {
	for _, op := range k.Ops {
		if len(op) == 1 && int64(op[0]) == int64(cose.KeyOpVerify) {
			return true
		}
	}
	return false
}

// point is the point of a P-256 key, whose y may be no more than a sign.
func (k coseKey) point(mode cbor.DecMode) (crypto.PublicKey, error) {
	var y []byte
	var sign bool
	errPoint := fmt.Errorf("%w: it is no point of P-256", ErrKey)
	switch {
	case len(k.Y) == 0:
		return nil, errPoint
	case mode.Unmarshal(k.Y, &sign) == nil:
		compressed := append([]byte{2}, k.X...)
		if sign {
			compressed[0] = 3
		}
		px, py := elliptic.UnmarshalCompressed(elliptic.P256(), compressed)
		if px == nil {
			return nil, errPoint
		}
		y = py.FillBytes(make([]byte, 32))
	case mode.Unmarshal(k.Y, &y) != nil || len(y) != 32:
		return nil, errPoint
	}
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, k.X...), y...))
	if err != nil {
		return nil, errPoint
	}
	return pub, nil
}

// key gives a key its kid; an Ed25519 key that has none its did:key.
func (k coseKey) key(pub crypto.PublicKey) Key {
	id := k.ID
	if own, ok := pub.(ed25519.PublicKey); ok && len(id) == 0 {
		id = []byte(keys.DID(own))
	}
	return Key{ID: id, Public: pub}
}
