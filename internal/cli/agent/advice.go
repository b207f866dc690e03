package agent

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

// advice says what helps a definition that is refused for what is not set up here, a line for
// each kind of reason.
func (c *agentAddCmd) advice(h cli.Home, why error) (lines []string) {
	tables := cli.Clean(runPath(h, toolsFile))
	for _, p := range agentdoc.Violations(why) {
		line, lacks := "", p.Err.Error()
		switch code := aaif.CodeOf(p); {
		case code == aaif.SignatureMissing:
			line = "if you vouch for it, satchel agent sign " + shellWord(cli.Clean(c.File)) + " -o FILE signs it with your key: add that file"
		case code == aaif.HookUnresolved:
			line = "hooks are registered in " + tables + ", under hooks"
		case code == aaif.ToolUnbound, code == aaif.UnsatisfiedCapabilities && strings.Contains(lacks, "tool.function"):
			line = "functions are registered in " + tables + ", under functions; subagents work without one, and a function that is to call them may be any command"
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		if aaif.CodeOf(p) == aaif.UnsatisfiedCapabilities && strings.Contains(lacks, "compliance.data_residency") {
			lines = append(lines, "the operator table says where providers keep data: "+cli.Clean(runPath(h, modelsFile))+", providers, regions")
		}
	}
	return lines
}

// lacking refuses a checkpoint without a checksum or migration token, and says how to get
// one (AAIF-8.2-3, AAIF-8.1-24).
func (c *agentStateAddCmd) lacking(state canon.Value, platform string) error {
	from := state.Get("provenance")
	switch {
	case !from.Has("checksum") && !from.Has("migration_token"):
		return cli.Refusedf("%s: %s has neither a checksum nor a migration token [AAIF-8.2-3]; where it comes from, %s gives it both", aaif.ChecksumMismatch, cli.Clean(c.File), migrating(platform))
	case !from.Has("checksum"):
		return cli.Refusedf("%s: %s has no checksum [AAIF-8.1-24]; where it comes from, satchel agent migrate sets it", aaif.ChecksumMismatch, cli.Clean(c.File))
	case !from.Has("migration_token"):
		return cli.Refusedf("%s: %s has no migration token [AAIF-8.2-3]; where it comes from, %s gives it one", aaif.TokenInvalid, cli.Clean(c.File), migrating(platform))
	}
	return nil
}

func migrating(platform string) string {
	return "satchel agent migrate STATE -o FILE --audience " + cli.OneLine(platform, 80) + " --plain"
}

// isUnknownKey reports whether a token is refused because its key is unknown, and not for
// its content (AAIF-12-13).
func isUnknownKey(found []*codec.ParseError) bool {
	return slices.ContainsFunc(found, func(p *codec.ParseError) bool { return strings.TrimPrefix(p.Rule, "AAIF-") == "12-13" })
}

// refused says why a checkpoint is refused, and what helps.
func (c *agentStateAddCmd) refused(a *cli.App, o *cli.Session, s *agents.Service, state canon.Value, platform string, err error) error {
	if a.JSON {
		return agentdoc.Refused(a, err, c.File)
	}
	id := state.Get("state_id").Text()
	advice := ""
	switch aaif.CodeOf(err) {
	case aaif.TokenReplayed:
		kept, failed := s.Look(a.Ctx, o.Caller(), id)
		if failed == nil && isSameState(kept.Document, state) {
			return cli.Refusedf("%s: checkpoint %s is here already, as it is in %s; there is nothing left to do", aaif.TokenReplayed, cli.OneLine(id, 80), cli.Clean(c.File))
		}
		advice = "checkpoint " + cli.OneLine(id, 80) + " is not here as it is in the file; where it comes from, satchel agent migrate --reissue gives it another token"
	case aaif.TokenAudience:
		advice = "its token has to be for " + cli.OneLine(platform, 80) + ", as this store is called; --platform NAME says what else it is called, and where the checkpoint comes from --audience says whom the token is for"
	case aaif.TokenExpired:
		advice = "where it comes from, satchel agent migrate --reissue gives it another token"
	case aaif.TokenInvalid:
		if advice = "its token is not as it has to be; where it comes from, satchel agent migrate --reissue gives it another, and clocks have to agree"; !isUnknownKey(agentdoc.Violations(err)) {
			break
		}
		advice = "whoever sends it says the name and the key that sign their tokens (satchel keys show): satchel trust add NAME KEY makes them known here"
	case aaif.AgentUnknown:
		advice = "satchel agent add takes the definition of agent " + cli.OneLine(state.Get("agent_id").Text(), 80) + " in; then it can come"
	case aaif.PrincipalMismatch:
		advice = "it remembers something of a person, and its token does not say that this is you: where it comes from, satchel agent migrate --principal " + string(o.Owner) + " says so"
	}
	err = agentdoc.Refused(a, err, c.File+" is not taken in")
	if advice != "" {
		a.Warn("%s", advice)
	}
	return err
}

// isSameState reports whether a kept checkpoint is the given one, apart from checksum and
// token: unchanged, or without the personal data that its agent's policy removes
// (AAIF-12-10).
func isSameState(kept, came canon.Value) bool {
	if aaif.Digest(kept) == aaif.Digest(came) {
		return true
	}
	hidden, _, err := privacy.Redact(came, privacy.RedactOptions{PII: aaif.PIIAnonymize, AtHome: true})
	return err == nil && aaif.Digest(kept) == aaif.Digest(hidden)
}
