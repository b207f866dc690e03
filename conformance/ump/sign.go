package umpsuite

import (
	"encoding/base64"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/ump"
)

// complete returns a record in the final form that another author would give it, without
// integrity, and a word that finds it. The record's id does not derive from its content
// (UMP-6.2-4).
func complete(r *run, change string, args ...any) (canon.Value, string) {
	text, word := r.text()
	base := object(`{"ump":%q,"id":"urn:ump:conformance:%s","kind":"semantic","scope":{"owner":%q,"project":%q,"visibility":"private"},`+
		`"time":{"created":%q,"observed":%q,"valid_from":%q},"provenance":{"actor":%q,"actor_kind":"user","method":"said"},"body":{"text":%q}}`,
		r.edition(), raw(r.word()), r.Owner, r.Project, longAgo, longAgo, longAgo, r.Owner, text)
	return canon.MergePatch(base, object(change, args...)), word
}

// signed returns a record with the integrity made with a key (decision UD-7).
func signed(v canon.Value, key *keys.Private) (canon.Value, error) {
	hash, err := ump.ContentHash(v.Append(nil))
	if err != nil {
		return canon.Value{}, err
	}
	message := ump.Fingerprint([]byte(hash))
	return v.With("integrity", canon.Object(
		canon.Member{Name: "content_hash", Value: canon.String(hash)},
		canon.Member{Name: "signature", Value: canon.String("ed25519:" + base64.StdEncoding.EncodeToString(key.Sign(message[:])))},
		canon.Member{Name: "signer", Value: canon.String(string(key.DID()))},
	)), nil
}

// own returns a complete record signed by the owner.
func (r *run) own(change string, args ...any) (canon.Value, string, error) {
	if r.Key == nil {
		return canon.Value{}, "", notTried("needs the owner's key, to sign a record")
	}
	v, word := complete(r, change, args...)
	v, err := signed(v, r.Key)
	return v, word, err
}

// ownStored stores a complete record signed by the owner.
func ownStored(r *run, change string, args ...any) (sent, kept canon.Value, err error) {
	if sent, _, err = r.own(change, args...); err != nil {
		return sent, kept, err
	}
	id, _, err := r.put(sent)
	if err != nil {
		return sent, kept, err
	}
	kept, err = r.get(id)
	return sent, kept, err
}

// signedPlain returns the plain memory if the server signs.
func signedPlain(r *run) (note, error) {
	n, err := r.plain()
	if err == nil && !n.record.Has("integrity") {
		return n, notOffered("signed records")
	}
	return n, err
}
