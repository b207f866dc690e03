package aimem

import (
	"crypto"
)

// Options configure [Open]. The zero value is safe for input from a stranger.
type Options struct {
	Limits Limits
	// ForeignIDs accepts ids of another namespace than the envelope's producer,
	// against section 2.3 (decision AD-7).
	ForeignIDs bool
	// Signature is the COSE_Sign1 that came beside the bundle (section 5.3); nil:
	// none did.
	Signature []byte
	// SignatureFault is the reason why the signature cannot be read; nil: it can be read,
	// or there is none. Open returns it at the step of the signature, unless the policy
	// skips signatures.
	SignatureFault error
	Policy         Policy
	// Trusted returns the keys by which a producer is known; nil: none is known.
	Trusted func(producer string) ([]Key, error)
	Stream  Layout
}

// Limits are the limits of a document (decision AD-9). Zero in a field
// means its default.
type Limits struct {
	Document int64 // bytes in a document; default 512 MiB
	Record   int64 // bytes in one record, and of the envelope that are held; default 4 MiB
	Depth    int   // nesting of JSON; default 128
}

// Filled returns l with defaults where it has zero.
func (l Limits) Filled() Limits {
	if l.Document <= 0 {
		l.Document = 512 << 20
	}
	if l.Record <= 0 {
		l.Record = 4 << 20
	}
	if l.Depth <= 0 {
		l.Depth = 128
	}
	return l
}

// Layout says how a bundle lies in its document.
type Layout int

// The layouts.
const (
	ByContent Layout = iota // find out: a lone object is a bundle, unless its file is named .ndjson
	Single                  // one JSON object (section 2)
	Lines                   // an envelope and records, one a line (section 3.1)
)

// Key is a public key by which a producer is known, or by which one signs.
type Key struct {
	ID     []byte           // kid: of our keys the UTF-8 of their did:key (decision AD-23)
	Public crypto.PublicKey // ed25519.PublicKey or *ecdsa.PublicKey on P-256
}

// Policy says which signatures [Open] accepts (decision AD-26).
type Policy string

// The three policies. Empty means VerifyPresent.
const (
	RequireSignature Policy = "require" // it must be there, valid and of a trusted key
	VerifyPresent    Policy = "verify"  // one that is there must be valid
	SkipSignature    Policy = "skip"    // it is not looked at, and that is audited
)

// Outcome is the result of checking a signature, in the words of the audit log.
type Outcome string

// The outcomes that let a bundle in.
const (
	Verified  Outcome = "verified"  // valid, by a trusted key
	Untrusted Outcome = "untrusted" // valid, by a key that is not trusted
	Absent    Outcome = "absent"
	Skipped   Outcome = "skipped"
)
