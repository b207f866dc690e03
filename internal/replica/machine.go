package replica

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// machineDomain is the prefix of the bytes that an owner signs, proofDomain of those that a
// machine signs.
const (
	machineDomain = "satchel machine v1\x00"
	proofDomain   = "satchel machine's own v1\x00"
)

// Proven returns m with the Proof by the machine's own key.
func (m Machine) Proven(own keys.Private) Machine {
	m.Proof = own.Sign(m.provenBytes())
	return m
}

func (m Machine) provenBytes() []byte {
	return slices.Concat([]byte(proofDomain), Encode([]string{string(m.ID), m.Recipient}))
}

// VerifyProof fails with [ErrUnsigned] unless the machine's own key signed its Recipient.
func (m Machine) VerifyProof() error {
	key, err := keys.Public(m.ID)
	if err != nil || !ed25519.Verify(key, m.provenBytes(), m.Proof) {
		return ErrUnsigned
	}
	return nil
}

// Signed returns m with the signature of its owner.
func (m Machine) Signed(owner keys.Private) Machine {
	m.Signature = owner.Sign(m.signedBytes())
	return m
}

// Verify fails with [ErrUnsigned] unless the owner signed m and its Proof is good, and with
// [ErrMalformed] if m exceeds the limits of an entry.
func (m Machine) Verify(owner memory.DID) error {
	key, err := keys.Public(owner)
	if err != nil || !ed25519.Verify(key, m.signedBytes(), m.Signature) {
		return ErrUnsigned
	}
	if err := m.VerifyProof(); err != nil {
		return err
	}
	if len(m.Name) > MaxName || len(m.Recipient) > maxRecipient || m.Renamed < 0 || m.Renamed > maxRenamed {
		return fmt.Errorf("%w: the entry of a machine", ErrMalformed)
	}
	return nil
}

// The limits of an entry.
const (
	MaxName      = 64  // bytes
	maxRecipient = 128 // bytes
	maxRenamed   = 1 << 53
)

func (m Machine) signedBytes() []byte {
	m.Signature = nil
	return slices.Concat([]byte(machineDomain), Encode(m))
}

// Join returns the entry that wins: a removed one, else the one renamed most often. Of two that
// were renamed equally often, the bytewise smaller one wins.
func (m Machine) Join(o Machine) Machine {
	if m.compare(o) < 0 {
		return o
	}
	return m
}

func (m Machine) compare(o Machine) int {
	switch mRemoved, oRemoved := !m.Removed.IsZero(), !o.Removed.IsZero(); {
	case mRemoved && !oRemoved:
		return 1
	case oRemoved && !mRemoved:
		return -1
	case mRemoved && !m.Removed.Equal(o.Removed):
		return o.Removed.Compare(m.Removed) // the earlier removal wins
	case m.Renamed != o.Renamed:
		return cmp.Compare(m.Renamed, o.Renamed)
	}
	return bytes.Compare(Encode(o), Encode(m))
}
