package tool

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// The limits of commands that read secrets.
const (
	vaultTime  = 30 * time.Second
	mostSecret = 64 << 10
)

// secret resolves the secret of a tool for a host. The place in a vault takes precedence,
// and nothing stands in for it when it fails (AAIF-4.4-23). The operator lists which
// secrets may be read, and who gets them (AAIF-4.4-21).
func (s *Set) secret(ctx context.Context, auth aaif.Auth, host string) (string, error) {
	if err := s.maySecret(auth, host); err != nil {
		return "", err
	}
	if auth.Vault.Provider == "" {
		value, ok := s.env(auth.EnvVar)
		if !ok || value == "" {
			return "", fail(secretUnresolved, "the variable %s is not set", aaif.Shown(auth.EnvVar))
		}
		return strings.TrimSpace(value), nil
	}
	value, err := s.vaulted(ctx, auth.Vault)
	if err != nil {
		known := asError(err, secretUnresolved, NotSent)
		known.Outcome = NotSent
		return "", known
	}
	return value, nil
}

// maySecret reports why a tool may not use its secret with a host; nil: it may.
func (s *Set) maySecret(auth aaif.Auth, host string) *Error {
	provider, path := auth.Vault.Provider, auth.Vault.Path
	if provider == "" && auth.EnvVar == "" {
		return fail(secretUnresolved, "the tool says neither env_var nor vault_ref")
	}
	listed := false
	for _, secret := range s.o.Operator.Secrets {
		if provider != "" && !secret.holds(provider, path) || provider == "" && secret.Env != auth.EnvVar {
			continue
		}
		if listed = true; secret.lets(host) {
			return nil
		}
	}
	what, code := "the variable "+aaif.Shown(auth.EnvVar), envDenied
	entry := canon.Object(canon.Member{Name: "env", Value: canon.String(auth.EnvVar)})
	if provider != "" {
		what, code = "the place "+aaif.Shown(path)+" of "+aaif.Shown(provider), secretUnresolved
		entry = canon.Object(canon.Member{Name: "provider", Value: canon.String(provider)}, canon.Member{Name: "path", Value: canon.String(path)})
	}
	if listed {
		return fail(code, "the operator does not let %s have %s: secrets in %s may list it among the hosts of that entry", aaif.Shown(host), what, toolsTable)
	}
	entry = entry.With("hosts", canon.Array(canon.String(host)))
	return fail(code, "the operator does not list %s: secrets in %s may have %s", what, toolsTable, shorten(string(entry.Append(nil))))
}

// warnSecret warns of a variable that is not set before the tool is called (AAIF-4.4-20).
func (s *Set) warnSecret(o *offer) {
	auth := o.Of.Auth
	if o.Missing != nil || none(auth) || auth.Vault.Provider != "" {
		return
	}
	if value, ok := s.env(auth.EnvVar); !ok || value == "" {
		o.warn(secretUnresolved, "the variable "+aaif.Shown(auth.EnvVar)+" is not set")
	}
}

// vaulted reads a secret from a vault.
func (s *Set) vaulted(ctx context.Context, ref aaif.VaultRef) (string, error) {
	i := slices.IndexFunc(s.o.Operator.Vaults, func(v Vault) bool { return v.Provider == ref.Provider })
	var value string
	var err error
	switch {
	case i >= 0 && ref.Provider == "1password":
		return s.onePassword(ctx, s.o.Operator.Vaults[i].Program, ref)
	case i >= 0:
		value, err = s.custom(ctx, s.o.Operator.Vaults[i].Program, ref)
	case s.o.Vault != nil:
		value, err = s.o.Vault(ctx, ref)
	default:
		return "", fail(secretUnresolved, "no vault of %s is set up", aaif.Shown(ref.Provider))
	}
	if err != nil {
		return "", err
	}
	return pick(value, ref.Key)
}

// pick returns the member key of a secret that is a JSON object, and every other secret
// whole.
func pick(value, key string) (string, error) {
	if key != "" {
		if v, err := canon.Parse([]byte(value), canon.Options{}); err == nil && v.Type() == canon.TypeObject {
			if value = v.Get(key).Text(); value == "" {
				return "", fail(secretUnresolved, "the secret has no key %s", aaif.Shown(key))
			}
		}
	}
	if value == "" {
		return "", fail(secretUnresolved, "the secret is empty")
	}
	return value, nil
}

// onePassword runs "op read op://VAULT/ITEM/FIELD".
func (s *Set) onePassword(ctx context.Context, p Program, ref aaif.VaultRef) (string, error) {
	if ref.Version != "" {
		return "", fail(secretUnresolved, "1Password keeps no versions that can be asked for")
	}
	place := ref.Path
	if !strings.HasPrefix(place, "op://") {
		place = "op://" + place
	}
	if ref.Key != "" {
		place += "/" + ref.Key
	}
	return s.reveal(ctx, p, []string{"read", "--no-newline", place}, nil)
}

// custom runs the operator's command with the reference as JSON on standard input: path,
// and where they are given key and version.
func (s *Set) custom(ctx context.Context, p Program, ref aaif.VaultRef) (string, error) {
	question := canon.Object(canon.Member{Name: "path", Value: canon.String(ref.Path)})
	for _, m := range []canon.Member{{Name: "key", Value: canon.String(ref.Key)}, {Name: "version", Value: canon.String(ref.Version)}} {
		if m.Value.Text() != "" {
			question = question.With(m.Name, m.Value)
		}
	}
	return s.reveal(ctx, p, nil, question.Append(nil))
}

// reveal runs a command whose output is a secret. What the command says on standard error
// is not shown: it might hold the secret.
func (s *Set) reveal(ctx context.Context, p Program, args []string, input []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, vaultTime)
	defer cancel()
	p.Command = slices.Concat(p.Command, args)
	out, err := execute(ctx, p, environment(s.o.Env, p.Env), input, mostSecret)
	switch {
	case err != nil:
		return "", fail(secretUnresolved, "the operator's command for secrets fails: %s", plainText(err))
	case out.code != 0:
		return "", fail(secretUnresolved, "the operator's command for secrets ends with %d", out.code)
	}
	return strings.TrimRight(string(out.stdout), "\r\n"), nil
}

// env reads a variable that the operator lists.
func (s *Set) env(name string) (string, bool) {
	if s.o.Env == nil {
		return "", false
	}
	return s.o.Env(name)
}

// environment returns the environment of a command: the variables that the operator names
// for it, and more. env is nil where no variable can be read.
func environment(env func(string) (string, bool), names []string, more ...string) []string {
	list := []string{}
	if env == nil {
		names = nil
	}
	for _, name := range names {
		if value, ok := env(name); ok {
			list = append(list, name+"="+value)
		}
	}
	return append(list, more...)
}
