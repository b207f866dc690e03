package aimem

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/sha256"
	"io"

	"github.com/veraison/go-cose"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// maxTried bounds how many keys a signature is tried with that does not say which
// is its own.
const maxTried = 32

// Verify looks at the signature of a bundle as decision AD-26 says: nil is none.
// trusted are the keys by which the bundle's producer is known; a key that the
// signature itself names is used, and trusted by nobody. It returns the key that
// signed, where there is a valid signature.
//
// It fails with a [*Fault] whose code is signature_required, signature_invalid or
// signature_untrusted, and with what the payload fails with.
func Verify(signature []byte, payload Payload, policy Policy, trusted []Key) (Outcome, Key, error) {
	switch {
	case policy == SkipSignature:
		return Skipped, Key{}, nil
	case signature == nil && policy == RequireSignature:
		return "", Key{}, signatureFault(SignatureRequired, "a signature is required and there is none")
	case signature == nil:
		return Absent, Key{}, nil
	}
	m, err := parseMessage(signature)
	if err != nil {
		return "", Key{}, err
	}
	outcome, key, err := m.verify(payload, trusted)
	if err == nil && outcome == Untrusted && policy == RequireSignature {
		f := signatureFault(SignatureUntrusted, "the signature is valid and nobody vouches for its key; "+adviceTrust)
		f.Signer, err = key.Name(), f
	}
	if err != nil {
		return "", Key{}, err
	}
	return outcome, key, nil
}

const adviceTrust = "add the producer's key to those that are trusted if it is right"

func signatureFault(code Code, detail string) *Fault {
	return &Fault{Code: code, Rule: "AIMEM-5.3-1", Detail: detail}
}

// candidate is a key that a signature is tried with.
type candidate struct {
	Key
	outcome Outcome // if it is the one
	hash    io.Writer
	valid   func() bool
}

// verify tries the keys that come into question, in one reading of the payload.
func (m *message) verify(payload Payload, trusted []Key) (Outcome, Key, error) {
	candidates := m.candidates(trusted)
	if len(candidates) == 0 {
		return "", Key{}, signatureFault(SignatureUntrusted, "the signature names no key that is known, and cannot be checked; "+adviceTrust)
	}
	payload, err := payload.withSize()
	if err != nil {
		return "", Key{}, err
	}
	head, err := signedHead(&m.Sign1Message, payload.Size)
	if err != nil {
		return "", Key{}, signatureFault(SignatureInvalid, "the headers of the signature are malformed")
	}
	writers := make([]io.Writer, 0, len(candidates))
	for _, c := range candidates {
		writers = append(writers, c.hash)
	}
	attached := &payloadComparison{want: m.Payload, skip: len(head), off: m.Payload == nil}
	if err := payload.behind(head)(io.MultiWriter(append(writers, attached)...)); err != nil {
		return "", Key{}, err
	}
	if !attached.equal() {
		return "", Key{}, signatureFault(SignatureInvalid, "the signature has another bundle in it")
	}
	for _, c := range candidates {
		if c.valid() {
			return c.outcome, c.Key, nil
		}
	}
	return "", Key{}, signatureFault(SignatureInvalid, "the signature is not one of this bundle: it was changed after it was signed, or signed with another key")
}

// candidates lists the keys that may have made a signature: the trusted keys that it
// names; if it names none, all; those without a name unless its kid is a did:key; and
// last the key of that did:key.
func (m *message) candidates(trusted []Key) []candidate {
	pub, err := keys.Public(memory.DID(m.kid))
	contained := err == nil // in the kid
	var found []candidate
	for _, k := range trusted {
		fits := bytes.Equal(k.ID, m.kid) || len(k.ID) == 0 && !contained
		if (len(m.kid) == 0 || fits) && len(found) < maxTried {
			found = m.appendKey(found, k, Verified)
		}
	}
	if !contained {
		return found
	}
	for _, k := range trusted { // one that is known by another name
		if known, ok := k.Public.(ed25519.PublicKey); ok && known.Equal(pub) {
			return m.appendKey(found, k, Verified)
		}
	}
	return m.appendKey(found, Key{ID: m.kid, Public: pub}, Untrusted)
}

// appendKey adds a key, if it can make signatures of the message's algorithm.
func (m *message) appendKey(to []candidate, k Key, outcome Outcome) []candidate {
	switch pub := k.Public.(type) {
	case ed25519.PublicKey:
		if m.algorithm == cose.AlgorithmEdDSA || m.algorithm == algorithmEd25519 {
			v := keys.NewVerification(pub, m.Signature)
			if v == nil {
				return append(to, candidate{k, outcome, io.Discard, func() bool { return false }})
			}
			return append(to, candidate{k, outcome, v, v.Valid})
		}
	case *ecdsa.PublicKey:
		if m.algorithm == cose.AlgorithmES256 {
			h := sha256.New()
			return append(to, candidate{k, outcome, h, func() bool { return validES256(pub, h.Sum(nil), m.Signature) }})
		}
	}
	return to
}

func validES256(pub *ecdsa.PublicKey, digest, signature []byte) bool {
	verifier, err := cose.NewVerifier(cose.AlgorithmES256, pub)
	if err != nil {
		return false
	}
	by, ok := verifier.(cose.DigestVerifier)
	return ok && by.VerifyDigest(digest, signature) == nil
}

// message is a COSE_Sign1 message that keeps the rules of decision AD-23.
type message struct {
	cose.Sign1Message
	algorithm cose.Algorithm
	kid       []byte
}

// parseMessage reads a message, tagged or not.
func parseMessage(signature []byte) (*message, error) {
	if len(signature) > maxSignature {
		return nil, signatureFault(SignatureInvalid, "the signature is longer than 64 KiB")
	}
	var m message
	err := m.Sign1Message.UnmarshalCBOR(signature)
	if err != nil {
		err = (*cose.UntaggedSign1Message)(&m.Sign1Message).UnmarshalCBOR(signature)
	}
	if err != nil {
		return nil, signatureFault(SignatureInvalid, "the signature is no COSE_Sign1 message")
	}
	if m.algorithm, err = m.Headers.Protected.Algorithm(); err != nil {
		return nil, signatureFault(SignatureInvalid, "the signature names no algorithm among its protected headers")
	}
	switch m.algorithm {
	case cose.AlgorithmEdDSA, algorithmEd25519, cose.AlgorithmES256:
	default:
		return nil, signatureFault(SignatureInvalid, "the signature is of an algorithm that is not accepted: use EdDSA, Ed25519 or ES256")
	}
	if err := m.checkCritical(); err != nil {
		return nil, err
	}
	for label := range m.Headers.Unprotected { // RFC 9052, section 3
		if _, twice := m.Headers.Protected[label]; twice {
			return nil, signatureFault(SignatureInvalid, "the signature has a header both protected and unprotected")
		}
	}
	if err := m.checkContentType(); err != nil {
		return nil, err
	}
	m.kid = kidOf(m.Headers)
	return &m, nil
}

// checkCritical refuses a message that demands something unknown here.
func (m *message) checkCritical() error {
	critical, err := m.Headers.Protected.Critical()
	if err != nil {
		return signatureFault(SignatureInvalid, "the signature's list of critical headers is malformed")
	}
	for _, label := range critical {
		switch label {
		case cose.HeaderLabelAlgorithm, cose.HeaderLabelContentType, cose.HeaderLabelKeyID:
		default:
			return signatureFault(SignatureInvalid, "the signature demands that a header be understood which is not")
		}
	}
	return nil
}

// checkContentType refuses a message that says its payload is something else than a bundle
// (decision AD-23).
func (m *message) checkContentType() error {
	for _, bucket := range []map[any]any{m.Headers.Protected, m.Headers.Unprotected} {
		if said, there := bucket[cose.HeaderLabelContentType]; there && said != MediaType {
			return signatureFault(SignatureInvalid, "the signature is of another type of content than a bundle")
		}
	}
	return nil
}

// kidOf returns the key id of either bucket, the protected one first.
func kidOf(h cose.Headers) []byte {
	for _, bucket := range []map[any]any{h.Protected, h.Unprotected} {
		if kid, ok := bucket[cose.HeaderLabelKeyID].([]byte); ok {
			return kid
		}
	}
	return nil
}

// payloadComparison compares what is written to it, but for the first bytes, with bytes
// that are held.
type payloadComparison struct {
	want []byte
	skip int
	off  bool // there is nothing to compare
	bad  bool
}

// Write compares.
func (c *payloadComparison) Write(p []byte) (int, error) {
	n := len(p)
	skipped := min(c.skip, n)
	c.skip -= skipped
	p = p[skipped:]
	if c.off || c.bad {
		return n, nil
	}
	if !bytes.HasPrefix(c.want, p) {
		c.bad = true
		return n, nil
	}
	c.want = c.want[len(p):]
	return n, nil
}

// equal reports whether the written bytes were exactly the wanted ones.
func (c *payloadComparison) equal() bool { return c.off || !c.bad && len(c.want) == 0 }
