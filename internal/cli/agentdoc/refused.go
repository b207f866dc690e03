package agentdoc

import (
	"cmp"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// Refused lists what is wrong with a document that may not enter or leave. It ends
// the command with status 4 for a refusal and 3 for an invalid document, and returns
// other errors unchanged.
func Refused(a *cli.App, err error, what string) error {
	found := Errors(Violations(err))
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
		if err := a.Emit(map[string]any{"violations": Findings(found)}); err != nil {
			return err
		}
		return cli.Silent(status)
	}
	for _, f := range Findings(found) {
		a.Warn("%s  %s: %s [%s]", f.Code, cli.Clean(cmp.Or(f.Pointer, "the document")), cli.Clean(f.Message), f.Rule)
	}
	a.Warn("%s: %s", cli.Clean(what), cli.Plural(len(found), "violation", "violations"))
	return cli.Silent(status)
}

// Violations returns the violations in an error, wrapped or not.
func Violations(err error) []*codec.ParseError {
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
		aaif.StateTransition, aaif.ChecksumMismatch, aaif.PrincipalMismatch, aaif.PIIRejected, aaif.DraftInProduction, agents.NotEvaluated, aaif.ConstraintUnenforced,
		route.ModelUnavailable, route.ResidencyUnsatisfied, route.ProviderUnconfigured, route.EgressDenied:
		return true
	}
	return false
}
