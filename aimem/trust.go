package aimem

import "crypto"

// Key is a public key by which a producer is known, or by which one signs.
type Key struct {
	ID     []byte           // kid: of our keys the UTF-8 of their did:key (decision AD-23)
	Public crypto.PublicKey // ed25519.PublicKey or *ecdsa.PublicKey on P-256
}

// Policy says what a signature has to be (decision AD-26).
type Policy string

// The three policies. Empty means VerifyPresent.
const (
	RequireSignature Policy = "require" // it must be there, valid and of a trusted key
	VerifyPresent    Policy = "verify"  // one that is there must be valid
	SkipSignature    Policy = "skip"    // it is not looked at, and that is audited
)

// Outcome is what looking at a signature came to, in the words of the audit log.
type Outcome string

// The outcomes that let a bundle in.
const (
	Verified  Outcome = "verified"  // valid, by a trusted key
	Untrusted Outcome = "untrusted" // valid, by a key that nobody vouches for
	Absent    Outcome = "absent"
	Skipped   Outcome = "skipped"
)
