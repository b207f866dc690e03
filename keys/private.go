package keys

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"filippo.io/edwards25519"

	"github.com/satchel-memory/satchel/memory"
)

// Private is an Ed25519 private key. Printing, logging or encoding it shows the DID; only
// Seed returns the secret. The zero Private is no key. A Private is safe for concurrent
// use.
type Private struct {
	// The key sits behind a function, because fmt calls no methods on unexported fields: it
	// would print the bytes of a slice, and with some verbs follow a pointer to them. It
	// prints only the address of a function.
	held func() keyPair
}

type keyPair struct {
	key ed25519.PrivateKey
	did memory.DID
}

var (
	_ fmt.Formatter  = Private{}
	_ slog.LogValuer = Private{}
)

// Generate makes a key from 32 bytes of random.
func Generate(random io.Reader) (Private, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return Private{}, fmt.Errorf("make a key: %w", err)
	}
	return FromSeed(seed)
}

// FromSeed returns the key of a seed of 32 bytes (RFC 8032).
func FromSeed(seed []byte) (Private, error) {
	if len(seed) != ed25519.SeedSize {
		return Private{}, fmt.Errorf("%w: a seed has %d bytes, not %d", ErrMalformed, ed25519.SeedSize, len(seed))
	}
	public := publicOf(seed)
	h := keyPair{key: slices.Concat(ed25519.PrivateKey(seed), ed25519.PrivateKey(public)), did: DID(public)}
	return Private{func() keyPair { return h }}, nil
}

// publicOf returns the public key of a seed (RFC 8032, section 5.1.5), in constant time.
// ed25519.NewKeyFromSeed would first compute a table for the keys to come, which takes
// twenty times as long: a short command opens one key and signs nothing.
func publicOf(seed []byte) ed25519.PublicKey {
	hash := sha512.Sum512(seed)
	scalar, err := edwards25519.NewScalar().SetBytesWithClamping(hash[:32])
	if err != nil {
		panic(err) // impossible: the length is right
	}
	return new(edwards25519.Point).ScalarMult(scalar, edwards25519.NewGeneratorPoint()).Bytes()
}

// IsZero reports whether p is no key.
func (p Private) IsZero() bool { return p.held == nil }

// DID returns the did:key of the public key, and "" of the zero Private.
func (p Private) DID() memory.DID {
	if p.IsZero() {
		return ""
	}
	return p.held().did
}

// Public returns the public key, and nil of the zero Private.
func (p Private) Public() ed25519.PublicKey {
	if p.IsZero() {
		return nil
	}
	return p.held().key.Public().(ed25519.PublicKey)
}

// Sign returns the Ed25519 signature of message. The zero Private returns nil, which
// verifies nowhere.
func (p Private) Sign(message []byte) []byte {
	if p.IsZero() {
		return nil
	}
	return ed25519.Sign(p.held().key, message)
}

// Seed returns the secret, the 32 bytes of the key's seed, and nil for the zero Private.
func (p Private) Seed() []byte {
	if p.IsZero() {
		return nil
	}
	return p.held().key.Seed()
}

// Secret returns 32 bytes for a purpose, derived from the key with HKDF-SHA-256. A secret
// reveals nothing about the key or about the secrets of other purposes. It is nil for the
// zero Private.
func (p Private) Secret(purpose string) []byte {
	if p.IsZero() {
		return nil
	}
	secret, err := hkdf.Key(sha256.New, p.Seed(), nil, purpose, sha256.Size)
	if err != nil {
		panic(err) // impossible: HKDF only refuses longer secrets
	}
	return secret
}

// String names the key by its DID.
func (p Private) String() string {
	if p.IsZero() {
		return "no private key"
	}
	return "private key of " + string(p.held().did)
}

// GoString names the key by its DID.
func (p Private) GoString() string { return "keys.Private(" + p.String() + ")" }

// Format names the key by its DID, whatever the verb.
func (p Private) Format(f fmt.State, verb rune) {
	s := p.String()
	if verb == 'v' && f.Flag('#') {
		s = p.GoString()
	}
	io.WriteString(f, s) // a fmt.State takes everything
}

// LogValue names the key by its DID.
func (p Private) LogValue() slog.Value { return slog.StringValue(p.String()) }

// MarshalText names the key by its DID; use [WriteFile] to store a key.
func (p Private) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// The errors that callers distinguish with errors.Is. The errors that wrap them say what to
// do next; none repeats a secret.
var (
	// ErrMalformed means that a DID, a key file or a recovery kit is broken.
	ErrMalformed = errors.New("malformed")
	// ErrNotResolvable means that a DID is valid, but its method or type of key gives no
	// Ed25519 key here.
	ErrNotResolvable = errors.New("not resolvable")
	// ErrPermissions means that other people than its owner may read a key file.
	ErrPermissions = errors.New("key file is readable by others")
	// ErrSealed means that a key file needs a passphrase and there is nobody to ask.
	ErrSealed = errors.New("key file is sealed")
	// ErrPassphrase means that the passphrase does not open the key file.
	ErrPassphrase = errors.New("wrong passphrase")
	// ErrSecret means that a wrapped key does not open with this secret for this owner.
	ErrSecret = errors.New("wrong secret")
	// ErrNoKey means that the caller tried to write the zero Private.
	ErrNoKey = errors.New("there is no key")
)
