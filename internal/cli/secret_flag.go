package cli

import (
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// SecretFlag lets the owner keep a secret in a memory.
type SecretFlag struct {
	KeepSecrets bool `name:"keep-secrets" help:"Keep keys, tokens and passwords. Otherwise they become [SECRET-REDACTED]."`
}

// Mask masks the secrets in texts and reports it, unless the owner keeps them.
func (f SecretFlag) Mask(a *App, texts ...*string) {
	if f.KeepSecrets {
		return
	}
	if masked := redact.Mask(texts...); masked != "" {
		a.Warn("%s; --keep-secrets keeps what is masked", masked)
	}
}

// Owner is the owner as a caller who keeps secrets or has them masked.
func (f SecretFlag) Owner(o *Session) memory.Caller {
	c := o.Caller()
	c.KeepSecrets = f.KeepSecrets
	return c
}
