package agents

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// vouching says whose key made the signature of a definition; the zero vouching: nobody's
// that is known. It proves that name and no other.
type vouching struct {
	key  memory.DID
	name string // by which the owner knows the key; empty: it is the owner's own
}

// signed verifies the signature of a definition (AAIF-12-16, AAIF-12-17): by the owner's
// own key, and by the keys that the owner knows its author by, or its platform where no
// key of its author is known. An altered document is refused always, and so is one that
// is signed under the name of an author whom the owner knows by other keys: which key
// signed it only the document says. One without a signature, or of an unknown key, is
// refused where the safety level or the operator asks for one, and warned of elsewhere.
func (j *judgement) signed(ctx context.Context) error {
	v, from := j.doc.Value, j.definition.Provenance
	own, ownErr := keys.Public(j.caller.Owner)
	if ownErr == nil {
		if _, err := aaif.Verify(v, []ed25519.PublicKey{own}); err == nil {
			j.vouched.key = j.caller.Owner
			return nil
		}
	}
	name, known, err := j.service.keysOf(ctx, j.caller, from)
	if err != nil {
		return err
	}
	signs := len(known) > 0 && name == cmp.Or(from.AuthoredBy, from.SourcePlatform)
	if j.namesOwner() { // which no key but the owner's proves
		name, known = "", nil
	}
	if ownErr == nil && j.isOwn() {
		known, signs = append(known, own), true
	}
	key, err := aaif.Verify(v, known)
	switch code := aaif.CodeOf(err); {
	case err == nil:
		j.vouched = vouching{keys.DID(key), name}
		if from.AuthoredBy != "" && name != from.AuthoredBy {
			j.warn(fault(aaif.SignatureUntrusted, "12-17", "/provenance/authored_by", "signed with the key of the platform: who the author is only the document says").Error())
		}
		return nil
	case code == aaif.SignatureMissing, code == aaif.SignatureUntrusted && !signs:
		if j.service.opt.Signed || j.definition.Agent.Compliance.Safety.IsStrict() {
			return err
		}
		j.warn(err.Error())
		return nil
	}
	return err
}

// keysOf returns the keys that vouch for what says so of itself, and for which name: the
// author's, where any are known, or else the platform's.
func (s *Service) keysOf(ctx context.Context, c memory.Caller, from aaif.Provenance) (name string, known []ed25519.PublicKey, err error) {
	for _, name := range []string{from.AuthoredBy, from.SourcePlatform} {
		if name == "" {
			continue
		}
		if known, err = s.trust.AgentKeys(ctx, c, name); err != nil || len(known) > 0 {
			return name, known, err
		}
	}
	return "", nil, nil
}

// isOwn reports whether definitions of this author are signed with the owner's key: by
// that name, or because the one that is kept here is.
func (j *judgement) isOwn() bool {
	kept := j.newest.Revision > 0 && j.newest.Signer == string(j.caller.Owner) && j.kept.Provenance.AuthoredBy == j.definition.Provenance.AuthoredBy
	return kept || j.namesOwner()
}

// namesOwner reports whether a definition says that the owner made it.
func (j *judgement) namesOwner() bool {
	author := j.definition.Provenance.AuthoredBy
	own := func(name string) bool { return sameName(name, author) }
	return author != "" && (author == string(j.caller.Owner) || slices.ContainsFunc(j.service.opt.Own, own))
}
