package ump

import (
	"encoding/base64"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

const (
	hashPrefix      = "blake3:"
	signaturePrefix = "ed25519:"
)

// digest is the hash of a record: BLAKE3 over RFC 8785 of the record without
// its integrity (UMP-6.1-1, UMP-6.1-3).
func digest(v canon.Value) [32]byte {
	return sum256(v.Without("integrity").AppendCanonical(nil))
}

// spellHash spells content_hash as the package writes it (decision UD-7).
func spellHash(sum [32]byte) string { return hashPrefix + base32Lower.EncodeToString(sum[:]) }

// ContentHash computes the content_hash of a record in JSON. It ignores the record's
// integrity.
func ContentHash(form []byte) (string, error) {
	v, err := parseForm(form)
	if err != nil {
		return "", err
	}
	return spellHash(digest(v)), nil
}

// sign returns the integrity of a record. It signs the hash of content_hash as
// spelled, as every known peer does (decision UD-7).
func sign(v canon.Value, key *keys.Private) memory.Integrity {
	hash := spellHash(digest(v))
	message := sum256([]byte(hash))
	return memory.Integrity{
		ContentHash: hash,
		Signature:   signaturePrefix + base64.StdEncoding.EncodeToString(key.Sign(message[:])),
		Signer:      key.DID(),
	}
}

// seal returns v with an integrity signed by the owner's key, or without integrity if
// there is no key. It sets r.Integrity accordingly.
func seal(v canon.Value, r *memory.Record, key *keys.Private) (canon.Value, error) {
	if key == nil {
		r.Integrity = nil
		return v.Without("integrity"), nil
	}
	if key.DID() != r.Scope.Owner {
		return canon.Value{}, signatureError(ErrSigner)
	}
	i := sign(v, key)
	r.Integrity = &i
	return v.With("integrity", renderIntegrity(&i)), nil
}
