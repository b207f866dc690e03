package ump

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The reasons for which a record does not verify. [Verify] returns them inside a
// [memory.Error].
var (
	// ErrUnsigned: the record has no integrity.
	ErrUnsigned = errors.New("the record is not signed")
	// ErrHash: the record is not the one that was hashed.
	ErrHash = errors.New("content_hash does not match the record; it was changed after it was signed")
	// ErrSignature: the signer did not sign the hash.
	ErrSignature = errors.New("the signature does not match content_hash and signer")
	// ErrSigner: the signer is not the owner (decision UD-8).
	ErrSigner = errors.New("the signer is not the owner; only the owner's key signs a record")
	// ErrIntegrity: integrity has a member that neither the hash nor the signature covers.
	ErrIntegrity = errors.New("integrity has a member beside content_hash, signature and signer; nothing signs it")
	// ErrUnresolvable: the signer's DID does not contain its key.
	ErrUnresolvable = errors.New("the signer's key cannot be had from its DID; only did:key with Ed25519 can be verified")
)

// Verify checks hash and signature of a record in JSON (section 2.8). Nil means that
// the owner signed exactly this record. Otherwise the error is a [memory.Error], of
// kind Unsupported for ErrUnresolvable and SignatureInvalid for the rest, or the
// ParseError of a text that is not a record.
//
// Verify accepts the spelling that the package writes, content_hash in hexadecimal, a
// signature in hexadecimal or base64url, and a signature over the record's raw hash,
// and no other (decision UD-7).
func Verify(form []byte) error {
	v, err := parseForm(form)
	if err != nil {
		return err
	}
	return verify(v)
}

// Fingerprint hashes every byte of a stored form, integrity, signer and owner
// included. A form that was verified once stays verified as long as its fingerprint is
// the same.
func Fingerprint(form []byte) [32]byte { return sum256(form) }

// VerifyAll verifies several forms, with the result of [Verify] for each. It takes half the
// time.
func VerifyAll(forms [][]byte) []error {
	values, results := make([]canon.Value, len(forms)), make([]error, len(forms))
	for i, form := range forms {
		values[i], results[i] = parseForm(form)
	}
	verifyAll(values, results)
	return results
}

// Form is a form of a record that was read, see [DecodeAll].
type Form struct {
	Record memory.Record
	Err    error // why it is no record; see [DecodeForm]
	value  canon.Value
}

// VerifyForms is [VerifyAll] for forms that were read already.
func VerifyForms(forms []Form) []error {
	values, results := make([]canon.Value, len(forms)), make([]error, len(forms))
	for i, form := range forms {
		values[i], results[i] = form.value, form.Err
	}
	verifyAll(values, results)
	return results
}

// verifyAll verifies the values that have no error yet.
func verifyAll(values []canon.Value, results []error) {
	claims := make([]claim, len(values))
	signers := make(map[string]ed25519.PublicKey)
	bySigner := make(map[string][]int) // the values whose signatures are left to verify
	for i, v := range values {
		if results[i] == nil {
			claims[i], results[i] = claimOf(v, signers)
		}
		if results[i] == nil {
			bySigner[string(claims[i].key)] = append(bySigner[string(claims[i].key)], i)
		}
	}
	for key, of := range bySigner {
		signed := make([]keys.Signed, len(of))
		for j, i := range of {
			signed[j] = claims[i].signed()
		}
		if len(of) > 1 && keys.VerifyAll(ed25519.PublicKey(key), signed) {
			continue
		}
		for _, i := range of {
			results[i] = claims[i].verify()
		}
	}
}

func verify(v canon.Value) error {
	c, err := claimOf(v, nil)
	if err != nil {
		return err
	}
	return c.verify()
}

// claim is what the integrity of a record claims: that a key signed a hash.
type claim struct {
	key       ed25519.PublicKey
	hash      string   // as spelled
	sum       [32]byte // the same
	signature []byte
}

// claimOf returns the claim of a record, or why it has none that its content bears out.
// signers are the keys of signers that were met before; nil: they are not kept.
func claimOf(v canon.Value, signers map[string]ed25519.PublicKey) (claim, error) {
	integrity := v.Get("integrity")
	if integrity.Type() != canon.TypeObject {
		return claim{}, signatureError(ErrUnsigned)
	}
	owner := v.Get("scope").Get("owner").Text()
	signer := integrity.Get("signer").Text()
	if signer != owner || owner == "" { // UMP-2.8-3; a fragment or a query on it would not be signed
		return claim{}, signatureError(ErrSigner)
	}
	for _, m := range integrity.Members() {
		if !slices.Contains(integrityShape, m.Name) { // UMP-2.8-2
			return claim{}, signatureError(ErrIntegrity)
		}
	}
	key, met := signers[signer]
	if !met {
		var err error
		if key, err = keys.Public(memory.DID(signer)); err != nil {
			return claim{}, signatureError(ErrUnresolvable)
		}
		if signers != nil {
			signers[signer] = key
		}
	}
	written := integrity.Get("content_hash").Text()
	sum := digest(v)
	if !isHash(written, sum) {
		return claim{}, signatureError(ErrHash)
	}
	digits, ok := strings.CutPrefix(integrity.Get("signature").Text(), signaturePrefix)
	if !ok {
		return claim{}, signatureError(ErrSignature)
	}
	return claim{key, written, sum, signatureBytes(digits)}, nil // of a wrong length it does not verify
}

// signed returns what the key signs nearly always: the hash of content_hash as spelled.
func (c claim) signed() keys.Signed {
	message := sum256([]byte(c.hash))
	return keys.Signed{Message: message[:], Signature: c.signature}
}

// verify reports a signature that is neither over content_hash as spelled nor over the record's
// hash itself.
func (c claim) verify() error {
	if s := c.signed(); keys.Verify(c.key, s.Message, s.Signature) || keys.Verify(c.key, c.sum[:], s.Signature) {
		return nil
	}
	return signatureError(ErrSignature)
}

// signatureError returns the [memory.Error] for one of the sentinels.
func signatureError(cause error) error {
	e := &memory.Error{Kind: memory.SignatureInvalid, Op: "verify", Path: "/integrity", Rule: "UMP-2.8-2", Message: cause.Error(), Err: cause}
	switch cause {
	case ErrHash:
		e.Rule, e.Path = "UMP-2.8-1", "/integrity/content_hash"
	case ErrSignature:
		e.Path = "/integrity/signature"
	case ErrSigner:
		e.Rule, e.Path = "UMP-2.8-3", "/integrity/signer"
	case ErrUnresolvable:
		e.Rule, e.Path, e.Kind = "UMP-5.1-1", "/integrity/signer", memory.Unsupported
	}
	return e
}

// isHash reports whether written spells sum: in base32, or in hexadecimal.
func isHash(written string, sum [32]byte) bool {
	digits, ok := strings.CutPrefix(written, hashPrefix)
	return ok && (digits == base32Lower.EncodeToString(sum[:]) || strings.ToLower(digits) == hex.EncodeToString(sum[:]))
}

// signatureBytes reads a signature in one of its spellings, which differ in length or
// alphabet. It returns nil for anything else.
func signatureBytes(digits string) []byte {
	if len(digits) == hex.EncodedLen(ed25519.SignatureSize) {
		b, _ := hex.DecodeString(digits)
		return b
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding, base64.URLEncoding} {
		if b, err := encoding.Strict().DecodeString(digits); err == nil && !strings.ContainsAny(digits, "\r\n") {
			return b
		}
	}
	return nil
}

// checkSignature reports integrity that does not verify. Unless Strict is set, it
// accepts a signer whose DID does not contain the key.
func (d *decoder) checkSignature(v canon.Value) {
	err := verify(v)
	if err == nil || errors.Is(err, ErrUnresolvable) && !d.opt.Strict {
		return
	}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		d.refuse(e.Kind, e.Rule, e.Path, e.Message)
	}
}
