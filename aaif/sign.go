package aaif

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// signerMember names the key that signed a document. It is a hint: trust comes from
// elsewhere (decision R4).
const signerMember = "x-aaif-signer"

// WithSigner returns a definition that names the key that will sign it.
func WithSigner(v canon.Value, did memory.DID) canon.Value {
	return v.With(signerMember, canon.String(string(did)))
}

// Sign returns a definition with provenance.signature: an Ed25519 signature, in base64,
// of its canonical form (RFC 8785) without that member. It covers everything else,
// including extensions and comments (decision R4, AAIF-12-16).
func Sign(v canon.Value, key keys.Private) canon.Value { return withSignature(v, "provenance", key) }

// Attest returns a report with attestation.signature, made like [Sign].
func Attest(v canon.Value, key keys.Private) canon.Value { return withSignature(v, "attestation", key) }

// Verify returns the trusted key that signed a definition. The code of the error is
// SignatureMissing, SignatureInvalid, or SignatureUntrusted if no trusted key signed it
// (AAIF-12-17).
func Verify(v canon.Value, trusted []ed25519.PublicKey) (ed25519.PublicKey, error) {
	return verifySignature(v, "provenance", trusted)
}

// VerifyAttestation verifies the signature of a report, as [Verify] does for a
// definition.
func VerifyAttestation(v canon.Value, trusted []ed25519.PublicKey) (ed25519.PublicKey, error) {
	return verifySignature(v, "attestation", trusted)
}

// withoutSignature returns a document without the signature in one of its members.
func withoutSignature(v canon.Value, member string) canon.Value {
	return v.With(member, asObject(v.Get(member)).Without("signature"))
}

// asObject returns an object as it is, and an empty object for any other value.
func asObject(v canon.Value) canon.Value {
	if v.Type() != canon.TypeObject {
		return canon.Object()
	}
	return v
}

func withSignature(v canon.Value, member string, key keys.Private) canon.Value {
	v = withoutSignature(v, member)
	signature := base64.StdEncoding.EncodeToString(key.Sign(v.AppendCanonical(nil)))
	return v.With(member, v.Get(member).With("signature", canon.String(signature)))
}

func verifySignature(v canon.Value, member string, trusted []ed25519.PublicKey) (ed25519.PublicKey, error) {
	pointer := "/" + member + "/signature"
	text := v.Get(member).Get("signature")
	if text.Type() == canon.TypeUndefined {
		return nil, fault(SignatureMissing, "12-17", pointer, "not signed")
	}
	signature := signatureBytes(text.Text())
	if signature == nil {
		return nil, fault(SignatureInvalid, "12-16", pointer, notSignature)
	}
	message := withoutSignature(v, member).AppendCanonical(nil)
	made := func(key ed25519.PublicKey) bool {
		return len(key) == ed25519.PublicKeySize && !keys.IsWeak(key) && ed25519.Verify(key, message, signature)
	}
	if i := slices.IndexFunc(trusted, made); i >= 0 {
		return trusted[i], nil
	}
	hinted, err := keys.Public(memory.DID(v.Get(signerMember).Text()))
	if err == nil && made(hinted) || len(trusted) == 0 && err != nil {
		return nil, fault(SignatureUntrusted, "12-17", pointer, "signed with a key that is not trusted for its author")
	}
	return nil, fault(SignatureInvalid, "12-17", pointer, "no key of its author made this signature: the document was changed, or signed by another")
}

// notSignature describes a text that is no signature.
const notSignature = "not the base64 form of 64 bytes"

// signatureBytes decodes a signature as definitions write it; nil if the text has another
// form (AAIF-12-16).
func signatureBytes(text string) []byte {
	signature, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(signature) != ed25519.SignatureSize || base64.StdEncoding.EncodeToString(signature) != text {
		return nil
	}
	return signature
}
