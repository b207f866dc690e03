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

// voucher says whose key made the signature of a definition; the zero voucher: no
// known key. It proves that name only.
type voucher struct {
	key  memory.DID
	name string // the owner's name for the key; empty: it is the owner's own
}

// signed verifies the signature of a definition (AAIF-12-16, AAIF-12-17). It tries
// the owner's own key and the known keys of its author, or of its platform if the
// author has none. It always refuses an altered document. It also refuses a document
// signed under the name of an author whom the owner knows by other keys: only the
// document says which key signed it. A document without a signature, or with an
// unknown key, is refused if the safety level or the operator requires a signature;
// otherwise it gets a warning.
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
	if j.namesOwner() { // only the owner's key can prove this
		name, known = "", nil
	}
	if ownErr == nil && j.isOwn() {
		known, signs = append(known, own), true
	}
	key, err := aaif.Verify(v, known)
	switch code := aaif.CodeOf(err); {
	case err == nil:
		j.vouched = voucher{keys.DID(key), name}
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

// keysOf returns the keys that may verify a definition, and their name: the author's,
// if any are known, or else the platform's.
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

// isOwn reports whether the owner's key must sign definitions of this author: the
// author is the owner, or that key signed the kept one.
func (j *judgement) isOwn() bool {
	kept := j.newest.Revision > 0 && j.newest.Signer == string(j.caller.Owner) && j.kept.Provenance.AuthoredBy == j.definition.Provenance.AuthoredBy
	return kept || j.namesOwner()
}

// namesOwner reports whether a definition names the owner as its author.
func (j *judgement) namesOwner() bool {
	author := j.definition.Provenance.AuthoredBy
	own := func(name string) bool { return sameName(name, author) }
	return author != "" && (author == string(j.caller.Owner) || slices.ContainsFunc(j.service.opt.Own, own))
}
