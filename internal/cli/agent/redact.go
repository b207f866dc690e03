package agent

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/text/redact"
)

// joinFindings joins violations to one error.
func joinFindings(found []*codec.ParseError) error {
	all := make([]error, len(found))
	for i, p := range found {
		all[i] = p
	}
	return errors.Join(all...)
}

// policyFlags choose the policy for a checkpoint.
type policyFlags struct {
	Definition string `help:"The definition of the checkpoint's agent, whose policy for personal data applies. Default: the definition in the store." placeholder:"FILE"`
}

// policy returns the definition of a checkpoint's agent, with the policy in force: that
// of the kept definition, or of the named one if it is stricter. Without a definition
// nothing leaves, as its author's policy for personal data is unknown.
func (f policyFlags) policy(a *cli.App, o *cli.Session, s *agents.Service, state canon.Value) (aaif.Definition, error) {
	id := state.Get("agent_id").Text()
	kept, known, err := s.Policy(a.Ctx, o.Caller(), id, state.Get("state_id").Text())
	if err != nil {
		return aaif.Definition{}, err
	}
	d, err := f.definition(a, o, s, id, known)
	if err != nil || !known {
		return d, err
	}
	pii := &d.Agent.Compliance.PII
	if in := pii.Stricter(kept); in != *pii {
		a.Say("what is kept here of its agent asks for more than this definition: its policy is %s", in)
		*pii = in
	}
	return d, nil
}

// definition returns the named definition, or the newest kept one.
func (f policyFlags) definition(a *cli.App, o *cli.Session, s *agents.Service, id string, known bool) (aaif.Definition, error) {
	switch {
	case f.Definition != "":
		d, err := agentdoc.Definition(a, f.Definition)
		read := aaif.ReadDefinition(d.Value)
		if err == nil && read.ID != "" && !strings.EqualFold(read.ID, id) {
			err = cli.Refusedf("%s is the definition of another agent than the checkpoint's", cli.Clean(f.Definition))
		}
		return read, err
	case !known:
		return aaif.Definition{}, cli.Refusedf("the definition of agent %s is not kept here, and its policy for personal data not known: name it with --definition, or take it in with satchel agent add", cli.OneLine(id, 80))
	}
	k, err := s.Agent(a.Ctx, o.Caller(), id, 0)
	return aaif.ReadDefinition(k.Document), err
}

type agentStateRedactCmd struct {
	State  string `arg:"" help:"A checkpoint: a file, - for standard input, or its id in the store."`
	Output string `short:"o" help:"The file to write, CBOR if the name ends in .cbor. Default: standard output." placeholder:"FILE"`

	agentdoc.OverFlags
	policyFlags
}

// Run writes a checkpoint without secrets, stack trace and token.
func (c *agentStateRedactCmd) Run(a *cli.App) error {
	if err := c.MayPut(a, c.Output, agentdoc.KindWords(aaif.StateKind)); err != nil {
		return err
	}
	return withKeeper(a, cli.Probing, func(o *cli.Session, s *agents.Service) error {
		d, err := checkpoint(a, o, s, c.State)
		if err != nil {
			return err
		}
		definition, err := c.policy(a, o, s, d.Value)
		if err != nil {
			return err
		}
		v, done, err := privacy.Redact(d.Value, privacy.RedactOptions{PII: definition.Agent.Compliance.PII, Secrets: environmentSecrets()})
		if err != nil {
			return agentdoc.Refused(a, err, c.State+" does not leave")
		}
		if done.Seal {
			return sealRefusal("agent migrate --to sends it over TLS")
		}
		if err := c.MayGiveWay(a, c.Output, v); err != nil {
			return err
		}
		if c.State != "-" && !cli.Exists(c.State) {
			err = s.Sending(a.Ctx, o.Caller(), d.Value, agents.ToFile, "", time.Time{})
		}
		if err == nil {
			err = agentdoc.PlaceDocument(a, c.Output, "", v) // no other document is replaced, as checked before
		}
		if err != nil {
			return err
		}
		if a.JSON && !cli.IsStdout(c.Output) {
			return a.Emit(redactionOut(done))
		}
		tellRedaction(a, d.Value, done, definition.Agent.Compliance.PII)
		return nil
	})
}

// sealRefusal refuses to write a checkpoint in the clear under the policy encrypt
// (AAIF-12-10).
func sealRefusal(instead string) error {
	return cli.Refusedf("PII_REJECTED: the policy of its definition is encrypt, which a file in the clear does not keep; %s [AAIF-12-10]", instead)
}

// redactionOut describes a redaction, for JSON.
func redactionOut(done privacy.Redaction) map[string]any {
	return map[string]any{"secrets_replaced": done.Secrets.Total(), "persons_found": done.Persons.Total()}
}

// tellRedaction says what was removed from a checkpoint, and what stays in it.
func tellRedaction(a *cli.App, was canon.Value, done privacy.Redaction, pii aaif.PII) {
	if was.Get("error").Has("stack_trace") {
		a.Say("left out: the stack trace of its error")
	}
	if n := done.Secrets.Total(); n > 0 {
		a.Warn("left out: %s (%s)", cli.Plural(n, "secret", "secrets"), kindCounts(done.Secrets))
	}
	switch n := done.Persons.Total(); {
	case n == 0:
	case pii == aaif.PIIAnonymize:
		a.Warn("left out: %s that would identify people (%s)", cli.Plural(n, "place", "places"), kindCounts(done.Persons))
	default:
		a.Warn("left in: %s that may identify people (%s), as the definition lets it", cli.Plural(n, "place", "places"), kindCounts(done.Persons))
	}
}

// kindCounts lists the counts of each kind.
func kindCounts(c redact.Counts) string {
	return strings.Join(slices.Sorted(maps.Keys(c)), ", ")
}
