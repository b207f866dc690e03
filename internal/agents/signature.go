package agents

import (
	"cmp"
	"context"
	"crypto/ed25519"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/keys"
)

// signed verifies the signature of a definition (AAIF-12-16, AAIF-12-17): by the owner's
// own key, and by the keys that the owner knows its author and its platform by. An
// altered document is refused always, and so is one that is signed under the name of an
// author whom the owner knows by other keys: which key signed it only the document says.
// One without a signature, or of an unknown key, is refused where the safety level or the
// operator asks for one, and warned of elsewhere.
func (j *judgement) signed(ctx context.Context) error {
	v, from := j.doc.Value, j.definition.Provenance
	if own, err := keys.Public(j.caller.Owner); err == nil {
		if _, err := aaif.Verify(v, []ed25519.PublicKey{own}); err == nil {
			j.signer = j.caller.Owner
			return nil
		}
	}
	known, err := j.service.vault.AgentKeys(ctx, j.caller, from.AuthoredBy, from.SourcePlatform)
	if err != nil {
		return err
	}
	key, err := aaif.Verify(v, known)
	switch aaif.CodeOf(err) {
	case "":
		if err == nil {
			j.signer = keys.DID(key)
		}
		return err
	case aaif.SignatureMissing, aaif.SignatureUntrusted:
		signs, failed := j.authorSigns(ctx)
		if failed != nil {
			return failed
		}
		if j.service.opt.Signed || j.isStrict() || signs && aaif.CodeOf(err) == aaif.SignatureUntrusted {
			return err
		}
		j.warn(err.Error())
		return nil
	}
	return err
}

// authorSigns reports whether the owner knows keys of the author, or of the platform where
// no author is named.
func (j *judgement) authorSigns(ctx context.Context) (bool, error) {
	from := j.definition.Provenance
	known, err := j.service.vault.AgentKeys(ctx, j.caller, cmp.Or(from.AuthoredBy, from.SourcePlatform))
	return len(known) > 0, err
}

// isStrict reports whether the safety level is more than standard. One that is none is
// as good as the strictest.
func (j *judgement) isStrict() bool {
	level := j.definition.Agent.Compliance.Safety
	return level != aaif.Minimal && level != aaif.Standard
}
