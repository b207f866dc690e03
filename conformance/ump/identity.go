package umpsuite

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func identityChecks() []check {
	return []check{
		{"UMP-5.1-1", anyDID},
		{"UMP-5.1-2", signerKey},
		{"UMP-5.1-3", opaqueOwner},
		{"UMP-5.1-5", followsOwner},
	}
}

func anyDID(r *run) error {
	return r.refuses(memory.ForbiddenScope, `{"scope":{"owner":"did:web:example.com"}}`)
}

func signerKey(r *run) error {
	n, err := signedPlain(r)
	if err != nil {
		return err
	}
	if _, err := keys.Public(memory.DID(n.record.Get("integrity").Get("signer").Text())); err != nil {
		return fmt.Errorf("integrity.signer: %w", err)
	}
	return nil
}

func opaqueOwner(r *run) error {
	if r.level >= 2 {
		return r.refuses(memory.InvalidRecord, `{"scope":{"owner":"alice"}}`)
	}
	draft, _ := r.draft(`{"scope":{"owner":"alice"}}`)
	a := r.post("remember", wrapped(draft))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if a.Status < 300 {
		return nil
	}
	return notOffered("memory of owners without a DID")
}

func followsOwner(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	d, err := r.document()
	if err != nil {
		return err
	}
	v, ok := d.records[n.id]
	switch {
	case !ok:
		return errors.New("the export lacks a record of the owner's")
	case v.Get("scope").Get("owner").Text() != string(r.Owner):
		return errors.New("the exported record does not name its owner")
	case v.Has("integrity"):
		return ump.Verify(v.Append(nil))
	}
	return nil
}
