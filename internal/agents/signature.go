package agents

import (
	"context"
	"crypto/ed25519"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/keys"
)

// signed verifies the signature of a definition (AAIF-12-16, AAIF-12-17): by the owner's
// own key, and by the keys that the owner knows its author and its platform by. An
// altered document is refused always. One without a signature, or of an unknown key, is
// refused where the safety level or the operator asks for one, and warned of elsewhere.
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
		if j.service.opt.Signed || j.isStrict() {
			return err
		}
		j.warn(err.Error())
		return nil
	}
	return err
}

// isStrict reports whether the safety level is more than standard. One that is none is
// as good as the strictest.
func (j *judgement) isStrict() bool {
	level := j.definition.Agent.Compliance.Safety
	return level != aaif.Minimal && level != aaif.Standard
}
