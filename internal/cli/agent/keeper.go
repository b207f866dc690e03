package agent

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// Keeper returns the service for the agents and checkpoints in the store. platform is the
// audience of migration tokens, and url its public address; empty: none. What runs have here
// is what the owner has set up for them.
func Keeper(o *cli.Session, a *cli.App, platform, url string, change ...func(*agents.Options)) (*agents.Service, error) {
	s, err := RunSettings(o, a, RunFiles{})
	if err != nil {
		return nil, err
	}
	return keeperWith(o, a, platform, url, append([]func(*agents.Options){running(s), requiring(o.Home)}, change...)...)
}

// keeperWith is Keeper for other settings for runs.
func keeperWith(o *cli.Session, a *cli.App, platform, url string, change ...func(*agents.Options)) (*agents.Service, error) {
	settings := agents.Options{
		Vault: o.Vault, Now: a.Now, Random: rand.Reader, Release: cli.Release(), URL: url, Signer: o.Key,
		Platform: cmp.Or(platform, o.Config.CurrentProducer().Name), Own: []string{o.Config.CurrentProducer().Name},
		OwnKeys: func(owner memory.DID) []ed25519.PublicKey { return tokenKeys(o, owner) },
	}
	for _, c := range change {
		c(&settings)
	}
	return agents.New(settings)
}

// withKeeper opens the store, calls do with its keeper of agents, and closes it.
func withKeeper(a *cli.App, need cli.Access, do func(*cli.Session, *agents.Service) error) error {
	return a.With(need, func(o *cli.Session) error {
		s, err := Keeper(o, a, "", "")
		if err != nil {
			return err
		}
		return do(o, s)
	})
}

// refusedAgent lists what is wrong with a document that may not enter or leave. It ends
// the command with status 4 for a refusal and 3 for an invalid document, and returns
// other errors unchanged.
func refusedAgent(a *cli.App, err error, what string) error {
	found := agentErrors(agentViolations(err))
	if len(found) == 0 {
		if code := aaif.CodeOf(err); code != "" && memory.KindOf(err) != memory.Internal {
			return cli.Refusedf("%s: %w", code, err)
		}
		return err
	}
	status := cli.ExitInvalid
	if slices.ContainsFunc(found, func(p *codec.ParseError) bool { return isRefusal(aaif.CodeOf(p)) }) {
		status = cli.ExitRefused
	}
	return refusedFor(a, found, what, status)
}

// refusedFor lists what is wrong with a document, and ends the command with a status.
func refusedFor(a *cli.App, found []*codec.ParseError, what string, status int) error {
	if a.JSON {
		if err := a.Emit(map[string]any{"violations": agentFindings(found)}); err != nil {
			return err
		}
		return cli.Silent(status)
	}
	for _, f := range agentFindings(found) {
		a.Warn("%s  %s: %s [%s]", f.Code, cli.Clean(cmp.Or(f.Pointer, "the document")), cli.Clean(f.Message), f.Rule)
	}
	a.Warn("%s: %s", cli.Clean(what), cli.Plural(len(found), "violation", "violations"))
	return cli.Silent(status)
}

// agentViolations returns the violations in an error, wrapped or not.
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

// isRefusal reports whether a code refuses a document that may be valid.
func isRefusal(code aaif.Code) bool {
	switch code {
	case aaif.UnsatisfiedCapabilities, aaif.AgentDeprecated, aaif.SignatureMissing, aaif.SignatureInvalid, aaif.SignatureUntrusted, aaif.SignerChanged, aaif.HookUnresolved, aaif.SubagentUnresolved, aaif.ToolUnbound,
		aaif.TokenInvalid, aaif.TokenExpired, aaif.TokenBinding, aaif.TokenAudience, aaif.TokenReplayed, aaif.AgentUnknown,
		aaif.StateTransition, aaif.ChecksumMismatch, aaif.PrincipalMismatch, aaif.PIIRejected, aaif.DraftInProduction, agents.NotEvaluated,
		route.ModelUnavailable, route.ResidencyUnsatisfied, route.ProviderUnconfigured, route.EgressDenied:
		return true
	}
	return false
}

// environmentSecrets returns the environment values whose names mark them as secret. No
// checkpoint leaves with them (AAIF-12-3).
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

// leastSecret is the fewest bytes of such a value. A shorter one occurs in texts by
// chance.
const leastSecret = 8
