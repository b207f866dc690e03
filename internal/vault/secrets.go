package vault

import (
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// withoutSecrets masks keys, tokens and passwords in a draft before it is hashed and
// signed. The owner may keep them. A record that is signed already stays as it is.
// The warnings say what was masked, or what a signed record holds.
func withoutSecrets(c memory.Caller, d memory.Draft) (memory.Draft, []memory.Warning, error) {
	if err := mayKeepSecrets(c, d.KeepSecrets); err != nil || d.KeepSecrets {
		return d, nil, err
	}
	masked, counts := redact.Secrets().Record(d.Record)
	switch n := counts.Total(); {
	case n == 0:
		return d, nil, nil
	case d.Complete:
		return d, []memory.Warning{{Path: "/record", Message: "the signed record holds " + secrets(n) + " and was stored unchanged"}}, nil
	default:
		d.Record = masked
		return d, []memory.Warning{maskedSecrets("/record", n)}, nil
	}
}

// patchWithoutSecrets is withoutSecrets of a merge patch.
func patchWithoutSecrets(c memory.Caller, r memory.Revision, patch canon.Value) (canon.Value, []memory.Warning, error) {
	if err := mayKeepSecrets(c, r.KeepSecrets); err != nil || r.KeepSecrets {
		return patch, nil, err
	}
	masked, counts := redact.Secrets().JSON(patch)
	if n := counts.Total(); n > 0 {
		return masked, []memory.Warning{maskedSecrets("/patch", n)}, nil
	}
	return patch, nil, nil
}

// MaskTexts masks keys, tokens and passwords in what a caller says of beliefs,
// constraints and forgetting. The owner may keep them.
func MaskTexts(c memory.Caller, texts ...*string) {
	if !c.KeepSecrets || c.Role != memory.Owner {
		redact.Mask(texts...)
	}
}

// mayKeepSecrets refuses to keep secrets for everybody but the owner.
func mayKeepSecrets(c memory.Caller, keep bool) error {
	if !keep || c.Role == memory.Owner {
		return nil
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Path: "/keep_secrets", Rule: "UMP-3.3-7",
		Message: "only the owner may keep a secret in a memory: leave keep_secrets out"}
}

func maskedSecrets(path string, n int) memory.Warning {
	return memory.Warning{Path: path, Message: redact.Masked(n) + "; only the owner can keep secrets, with keep_secrets or --keep-secrets"}
}

func secrets(n int) string {
	if n == 1 {
		return "1 secret"
	}
	return fmt.Sprintf("%d secrets", n)
}
