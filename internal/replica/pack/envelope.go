package pack

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// version is the version of the envelope and of its bodies.
const version = 1

// envelope is the encrypted content of a pack.
type envelope struct {
	Version   uint64 `cbor:"1,keyasint"`
	Purpose   string `cbor:"2,keyasint"` // of the body, see SealBody
	Owner     string `cbor:"3,keyasint"`
	From      entry  `cbor:"4,keyasint"`
	Signature []byte `cbor:"5,keyasint"` // by From's key over the rest, see signed
	Body      []byte `cbor:"6,keyasint"` // compressed with DEFLATE
}

// entry is a [replica.Machine].
type entry struct {
	ID        string `cbor:"1,keyasint"`
	Name      string `cbor:"2,keyasint"`
	Renamed   int64  `cbor:"3,keyasint"`
	Recipient string `cbor:"4,keyasint"`
	Added     string `cbor:"5,keyasint"`
	Removed   string `cbor:"6,keyasint,omitempty"`
	Signature []byte `cbor:"7,keyasint"`
	Proof     []byte `cbor:"8,keyasint"`
}

// signed returns the bytes that From signs: a domain, and the envelope without Signature.
func (e envelope) signed() []byte {
	e.Signature = nil
	return append([]byte("satchel pack 1\x00"), replica.Encode(e)...)
}

func (e envelope) verify(from memory.DID) error {
	key, err := keys.Public(from)
	if err != nil {
		return fmt.Errorf("%w: %w", replica.ErrUnsigned, err)
	}
	if !ed25519.Verify(key, e.signed(), e.Signature) {
		return fmt.Errorf("%w: the signature of the machine %s is wrong", replica.ErrUnsigned, from)
	}
	return nil
}

func entryOf(m replica.Machine) entry {
	return entry{string(m.ID), m.Name, int64(m.Renamed), m.Recipient, timeText(m.Added), timeText(m.Removed), m.Signature, m.Proof}
}

// machine returns the machine of an entry. A malformed time becomes zero, and the owner's
// signature then fails.
func (e entry) machine() replica.Machine {
	added, _ := time.Parse(time.RFC3339Nano, e.Added)
	removed, _ := time.Parse(time.RFC3339Nano, e.Removed)
	return replica.Machine{ID: memory.DID(e.ID), Name: e.Name, Renamed: int(e.Renamed), Recipient: e.Recipient,
		Added: added.UTC(), Removed: removed.UTC(), Signature: e.Signature, Proof: e.Proof}
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// decodeEnvelope reads the version first, to tell an envelope of a newer Satchel from a broken
// one.
func decodeEnvelope(plain []byte) (envelope, error) {
	type first struct {
		Version uint64 `cbor:"1,keyasint"`
	}
	f, err := replica.Decode[first](plain)
	if err == nil && f.Version > version {
		return envelope{}, fmt.Errorf("%w: version %d", replica.ErrNewer, f.Version)
	}
	e, err := replica.Decode[envelope](plain)
	if err != nil {
		return e, fmt.Errorf("%w: %v", replica.ErrUnsigned, err) // no machine of the owner writes malformed envelopes
	}
	return e, nil
}
