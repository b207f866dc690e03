package main

import (
	"cmp"
	"crypto/rand"
	"os"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/memory"
)

// keeper returns what keeps agents and checkpoints in the store. Platform is the name
// that migration tokens have to be for, and url where others reach it; empty: nowhere.
func (o *opened) keeper(a *app, platform, url string, change ...func(*agents.Options)) (*agents.Service, error) {
	settings := agents.Options{
		Vault: o.Vault, Now: a.now, Random: rand.Reader, Release: release(), URL: url, Signer: o.key,
		Platform: cmp.Or(platform, o.config.producer().Name), Own: []string{o.config.producer().Name},
		OwnKeys: o.tokenKeys,
	}
	for _, c := range change {
		c(&settings)
	}
	return agents.New(settings)
}

// keeping opens the store, lets do work with what keeps agents, and closes it.
func (a *app) keeping(need access, do func(*opened, *agents.Service) error) error {
	return a.with(need, func(o *opened) error {
		s, err := o.keeper(a, "", "")
		if err != nil {
			return err
		}
		return do(o, s)
	})
}

// refusedAgent lists all that is wrong with a document that is not taken in, or does not
// leave, and ends the command with 4 where it is refused and with 3 where it is not
// valid. Other failures are returned as they are.
func (a *app) refusedAgent(err error, what string) error {
	found := agentErrors(agentViolations(err))
	if len(found) == 0 {
		if code := aaif.CodeOf(err); code != "" && memory.KindOf(err) != memory.Internal {
			return refusedf("%s: %w", code, err)
		}
		return err
	}
	status := exitInvalid
	if slices.ContainsFunc(found, func(p *codec.ParseError) bool { return isRefusal(aaif.CodeOf(p)) }) {
		status = exitRefused
	}
	return a.refusedFor(found, what, status)
}

// refusedFor lists all that is wrong with a document, and ends the command with a status.
func (a *app) refusedFor(found []*codec.ParseError, what string, status int) error {
	if a.json {
		if err := a.emit(map[string]any{"violations": agentFindings(found)}); err != nil {
			return err
		}
		return silent(status)
	}
	for _, f := range agentFindings(found) {
		a.warn("%s  %s: %s [%s]", f.Code, clean(cmp.Or(f.Pointer, "the document")), clean(f.Message), f.Rule)
	}
	a.warn("%s: %s", clean(what), plural(len(found), "violation", "violations"))
	return silent(status)
}

// agentViolations returns the violations that an error is made of, wrapped or not.
func agentViolations(err error) []*codec.ParseError {
	for err != nil {
		if found := parseErrors(err); len(found) > 0 {
			return found
		}
		wrapped, ok := err.(interface{ Unwrap() error })
		if !ok {
			return nil
		}
		err = wrapped.Unwrap()
	}
	return nil
}

// isRefusal reports whether a code is of a document that may be sound and is turned
// down all the same.
func isRefusal(code aaif.Code) bool {
	switch code {
	case aaif.UnsatisfiedCapabilities, aaif.AgentDeprecated, aaif.SignatureMissing, aaif.SignatureInvalid, aaif.SignatureUntrusted, aaif.SignerChanged, aaif.HookUnresolved, aaif.SubagentUnresolved, aaif.ToolUnbound,
		aaif.TokenInvalid, aaif.TokenExpired, aaif.TokenBinding, aaif.TokenAudience, aaif.TokenReplayed, aaif.AgentUnknown,
		aaif.StateTransition, aaif.ChecksumMismatch, aaif.PrincipalMismatch, aaif.PIIRejected, aaif.DraftInProduction:
		return true
	}
	return false
}

// environmentSecrets are the values of settings whose names say that they are secret,
// which leave with no checkpoint (AAIF-12-3).
func environmentSecrets() []string {
	var secrets []string
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		name = strings.ToUpper(name)
		isOne := slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSPHRASE", "CREDENTIAL"}, func(part string) bool { return strings.Contains(name, part) })
		if isOne && len(value) >= leastSecret {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// leastSecret is how long a value has to be to be looked for as a secret: a shorter one
// stands in texts by chance.
const leastSecret = 8
