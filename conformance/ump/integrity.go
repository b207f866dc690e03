package umpsuite

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func integrityChecks() []check {
	return []check{
		{"UMP-2.8-4", signatureRequired},
		{"UMP-2.8-5", alteredOutside},
		{"UMP-2.8-6", orderIrrelevant},
	}
}

func hashOfRecord(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	hash, err := ump.ContentHash(n.record.Append(nil))
	if err == nil && n.record.Get("integrity").Get("content_hash").Text() != hash {
		err = errors.New("content_hash is not that of the record")
	}
	return first(err, r.seen.verdict("UMP-2.8-1"))
}

func integrityWhole(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	for _, name := range []string{"content_hash", "signature", "signer"} {
		broken := n.record.With("integrity", n.record.Get("integrity").Without(name))
		if err := r.refusesRecord(broken, memory.InvalidRecord, memory.SignatureInvalid); err != nil {
			return err
		}
	}
	return r.seen.verdict("UMP-2.8-2")
}

func ownerSigns(r *run) error {
	if _, err := signedPlain(r); err != nil {
		return err
	}
	v, _ := complete(r, `{}`)
	foreign, err := signed(v, &r.other)
	if err != nil {
		return err
	}
	if err := r.refusesRecord(foreign, memory.SignatureInvalid); err != nil {
		return err
	}
	as := foreign.Get("integrity").With("signer", canon.String(string(r.Owner)))
	return first(r.refusesRecord(foreign.With("integrity", as), memory.SignatureInvalid), r.seen.verdict("UMP-2.8-3"))
}

func signatureRequired(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	if !n.record.Has("integrity") {
		return errors.New("a record of level 3 came without integrity")
	}
	return ump.Verify(n.record.Append(nil))
}

func alteredOutside(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	altered := n.record.With("body", n.record.Get("body").With("text", canon.String("The barn stands in the yard.")))
	if err := r.refusesRecord(altered, memory.SignatureInvalid); err != nil {
		return err
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, n.record) {
		err = errors.New("a refused record changed the one that is there")
	}
	return err
}

func orderIrrelevant(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	members := slices.Clone(n.record.Members())
	slices.Reverse(members)
	id, _, err := r.put(canon.Object(members...))
	if err == nil && id != n.id {
		err = errors.New("a signed record with its members in another order was taken for another record")
	}
	return err
}
