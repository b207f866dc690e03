package main

import (
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/memory/redact"
)

// secretFlag lets the owner keep a secret in a memory.
type secretFlag struct {
	KeepSecrets bool `name:"keep-secrets" help:"Keep keys, tokens and passwords. Otherwise they become [SECRET-REDACTED]."`
}

// mask masks the secrets in texts and says so, unless the owner keeps them.
func (f secretFlag) mask(a *app, texts ...*string) {
	if f.KeepSecrets {
		return
	}
	if masked := redact.Mask(texts...); masked != "" {
		a.warn("%s; --keep-secrets keeps what is masked", masked)
	}
}

// owner is the owner, who keeps secrets or has them masked.
func (f secretFlag) owner(o *opened) memory.Caller {
	c := o.owner()
	c.KeepSecrets = f.KeepSecrets
	return c
}

// warnAll says what was done otherwise than the caller may expect.
func (a *app) warnAll(warnings []memory.Warning) {
	for _, w := range warnings {
		a.warn("%s", clean(w.Message))
	}
}

// withWarnings adds warnings to an answer for machines, in their shape over HTTP.
func withWarnings(answer map[string]any, warnings []memory.Warning) map[string]any {
	type told struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	}
	list := make([]told, len(warnings))
	for i, w := range warnings {
		list[i] = told{w.Path, w.Message}
	}
	if len(list) > 0 {
		answer["warnings"] = list
	}
	return answer
}
