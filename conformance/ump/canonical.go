package umpsuite

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/ump"
)

func canonicalChecks() []check {
	return []check{
		{"UMP-6.1-1", canonicalForm},
		{"UMP-6.1-2", idHashed},
		{"UMP-6.1-3", blake3},
		{"UMP-6.1-5", nullHashed},
		{"UMP-6.1-6", numbersAndStrings},
	}
}

func canonicalForm(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	hash, err := ump.ContentHash(n.record.Append(nil))
	if err != nil {
		return err
	}
	bare, err := ump.ContentHash(n.record.Without("integrity").Append(nil))
	if err != nil {
		return err
	}
	if hash != bare || n.record.Get("integrity").Get("content_hash").Text() != hash {
		return errors.New("content_hash is not that of the canonical record without its integrity")
	}
	_, kept, err := ownStored(r, `{"body":{"text":"Zażółć \ud83d\ude00 \u2028 \"quoted\" \\ / \u0007","structured":{"b":1e2,"a":0.1,"\u20ac":-0.0}}}`)
	if isSkipped(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return ump.Verify(kept.Append(nil))
}

func idHashed(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	other := n.record.With("id", canon.String("urn:ump:conformance:"+r.word()))
	r.wrote(memory.ID(other.Get("id").Text()))
	return r.refusesRecord(other, memory.SignatureInvalid)
}

var hash256 = pattern.New(`^blake3:([a-z2-7]{52}|[0-9a-fA-F]{64})$`)

func blake3(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	if !hash256.MatchString(n.record.Get("integrity").Get("content_hash").Text()) {
		return errors.New("content_hash is not blake3: and 256 bits")
	}
	return hashOfRecord(r)
}

func ownersKey(r *run) error {
	n, err := signedPlain(r)
	if err == nil && n.record.Get("integrity").Get("signer").Text() != string(r.Owner) {
		err = errors.New("the signer is not the owner")
	}
	return first(err, r.seen.verdict("UMP-6.1-4"))
}

func nullHashed(r *run) error {
	v, _, err := r.own(`{}`)
	if err != nil {
		return err
	}
	v, err = signed(v.With("time", v.Get("time").With("valid_to", canon.Null())), r.Key)
	if err != nil {
		return err
	}
	without := v.With("time", v.Get("time").Without("valid_to"))
	if err := r.refusesRecord(without, memory.SignatureInvalid); err != nil {
		return err
	}
	id, _, err := r.put(v)
	if err != nil {
		return err
	}
	got, err := r.get(id)
	if err == nil && !canon.Equal(got, v) {
		err = errors.New("a null was not kept")
	}
	return err
}

func numbersAndStrings(r *run) error {
	for _, body := range []string{
		`{"record":{"kind":"semantic","body":{"text":"\ud800"}}}`, `{"record":{"kind":"semantic","body":{"text":"x","text":"y"}}}`,
	} {
		a := r.raw("remember", body)
		r.wrote(memory.ID(a.Value.Get("id").Text()))
		if err := a.refused(memory.InvalidRecord); err != nil {
			return err
		}
	}
	sent, kept, err := ownStored(r, `{"lifecycle":{"confidence":1.0,"salience":5e-1}}`)
	if isSkipped(err) {
		_, err := r.stored(`{"lifecycle":{"confidence":1.0,"salience":5e-1}}`)
		return err
	}
	if err == nil && !canon.Equal(sent, kept) {
		err = errors.New("a number was not kept")
	}
	if err != nil {
		return err
	}
	return ump.Verify(kept.Append(nil))
}
