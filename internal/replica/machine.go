package replica

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"slices"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// machineDomain begins what an owner signs of a machine, proofDomain what a machine signs of
// itself.
const (
	machineDomain = "satchel machine v1\x00"
	proofDomain   = "satchel machine's own v1\x00"
)

// Proven returns m with the proof of its own key.
func (m Machine) Proven(own keys.Private) Machine {
	m.Proof = own.Sign(m.provenBytes())
	return m
}

func (m Machine) provenBytes() []byte {
	return slices.Concat([]byte(proofDomain), Encode([]string{string(m.ID), m.Recipient}))
}

// VerifyProof fails with [ErrUnsigned] unless the machine itself has named its recipient.
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

// Verify fails with [ErrUnsigned] unless owner has signed m, and m has proven its recipient.
func (m Machine) Verify(owner memory.DID) error {
	key, err := keys.Public(owner)
	if err != nil || !ed25519.Verify(key, m.signedBytes(), m.Signature) {
		return ErrUnsigned
	}
	return m.VerifyProof()
}

func (m Machine) signedBytes() []byte {
	m.Signature = nil
	return slices.Concat([]byte(machineDomain), Encode(m))
}

// Join returns the state of a machine that counts: removed, or else the latest name.
func (m Machine) Join(o Machine) Machine {
	if m.compare(o) < 0 {
		return o
	}
	return m
}

func (m Machine) compare(o Machine) int {
	switch gone, goes := !m.Removed.IsZero(), !o.Removed.IsZero(); {
	case gone && !goes:
		return 1
	case goes && !gone:
		return -1
	case gone && !m.Removed.Equal(o.Removed):
		return o.Removed.Compare(m.Removed) // the earliest removal
	case m.Renamed != o.Renamed:
		return cmp.Compare(m.Renamed, o.Renamed)
	}
	return bytes.Compare(Encode(o), Encode(m))
}
