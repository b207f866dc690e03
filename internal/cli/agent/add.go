package agent

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

type agentAddCmd struct {
	File       string   `arg:"" help:"A definition, or - for standard input."`
	Keep       bool     `help:"Add the agent even if it cannot run here. The list marks it."`
	Deprecated bool     `help:"Add the agent even if it is deprecated."`
	Replace    bool     `help:"Replace the stored agent even if other keys vouch for it, or no key vouches for this one. Run satchel agent diff first."`
	DryRun     bool     `short:"n" help:"Show the result, and store nothing."`
	Allow      []string `help:"A list of texts that look like secrets and are none, made by satchel agent secrets allow. May be repeated." placeholder:"FILE"`
	AllowKey   []string `name:"allow-key" help:"With --allow: the key that signed the lists, as a did:key, a file or a URL. May be repeated. Default: the owner's key." placeholder:"KEY"`
}

// agentOut is a definition in the store, for JSON.
type agentOut struct {
	AgentID   string   `json:"agent_id"`
	Revision  int      `json:"revision"`
	Name      string   `json:"name"`
	Version   string   `json:"version,omitempty"`
	Status    string   `json:"status,omitempty"`
	Digest    string   `json:"digest"`
	Signer    string   `json:"signer,omitempty"`
	Received  string   `json:"received_at"`
	CannotRun []string `json:"cannot_run,omitempty"`
	Off       []string `json:"off,omitempty"`
}

func agentOutOf(k aaif.KeptAgent) agentOut {
	return agentOut{k.AgentID, k.Revision, k.Name, k.Version, string(k.Status), k.Digest, string(k.Signer), agentTime(k.Received), k.CannotRun, k.Off}
}

// Run adds a definition to the store, with the checks of the intake over HTTP in the same
// order (AAIF-7-16).
func (c *agentAddCmd) Run(a *cli.App) error {
	raw, err := agentdoc.Bytes(a, c.File)
	if err != nil {
		return err
	}
	allow, err := agentdoc.CheckFlags{Allow: c.Allow, AllowKey: c.AllowKey}.Allowed(a)
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		s, err := Keeper(o, a, "", "", func(settings *agents.Options) { settings.Allow = allow })
		if err != nil {
			return err
		}
		r, err := c.intake(a, o, s, raw)
		if err != nil {
			return err
		}
		return c.tell(a, r, treeOf(raw))
	})
}

// intake takes a definition in, and says what is wrong with one that is refused.
func (c *agentAddCmd) intake(a *cli.App, o *cli.Session, s *agents.Service, raw []byte) (aaif.Receipt, error) {
	r, err := s.Intake(a.Ctx, o.Caller(), raw, aaif.IntakeOptions{Keep: c.Keep, Deprecated: c.Deprecated, Replace: c.Replace, DryRun: c.DryRun})
	if aaif.CodeOf(err) == aaif.SignerChanged {
		a.Say("satchel agent get and satchel agent diff show what would change; if you want it all the same: --replace")
	}
	_, keepable := errors.AsType[*aaif.NotRunnableError](err)
	if err != nil {
		advice := c.advice(o.Home, err)
		if other := agentdoc.OtherForm(c.File, raw, treeOf(raw), err); other != "" {
			advice = []string{other}
		}
		if keepable {
			advice = append(advice, "it can be kept all the same, for carrying it on: --keep")
		}
		err = agentdoc.Refused(a, err, c.File+" is not taken in")
		for _, line := range advice {
			if !a.JSON {
				a.Say("%s", line)
			}
		}
		return r, err
	}
	return r, nil
}

// treeOf returns the tree of a checked document, undefined if it is none.
func treeOf(raw []byte) canon.Value {
	v, err := agentdoc.AnyTree(raw)
	if err != nil {
		return canon.Value{}
	}
	return v
}

func (c *agentAddCmd) tell(a *cli.App, r aaif.Receipt, came canon.Value) error {
	given := came.Get("agent_id").Text() == ""
	if a.JSON {
		return a.Emit(map[string]any{
			"agent": agentOutOf(r.Kept), "id_given": given, "unchanged": r.Unchanged, "dry_run": c.DryRun, "level": append([]aaif.Level{}, r.Level...),
			"warnings": append([]string{}, r.Warnings...), "disabled": append([]string{}, r.Disabled...), "negotiation": agentdoc.RawValue(r.Negotiation.Value()),
		})
	}
	for _, line := range r.Warnings {
		a.Warn("%s", cli.Clean(line))
	}
	verb := "kept"
	switch {
	case c.DryRun:
		verb = "would be kept"
	case r.Unchanged:
		verb = "unchanged"
	}
	a.Print("%s  revision %d, %s: %s", cli.Clean(r.Kept.AgentID), r.Kept.Revision, verb, cli.OneLine(r.Kept.Name, 80))
	if given {
		c.tellGiven(a, r.Kept)
	}
	if len(r.Disabled) > 0 {
		a.Say("what depends on these is off: %s", cli.OneLine(strings.Join(r.Disabled, ", "), 400))
	}
	return nil
}

// tellGiven says how to put a new id into the definition's file. Until then, a changed
// file is another agent.
func (c *agentAddCmd) tellGiven(a *cli.App, k aaif.KeptAgent) {
	file := cli.Clean(c.File)
	if c.File == "-" {
		file = "FILE"
	}
	switch {
	case c.DryRun:
		a.Say("it has no agent_id, and would be given one")
	case k.Document.Has("agent_id"):
		a.Say("it had no agent_id and was given this one: satchel agent get %s -o %s writes it into the file; without it, what changes in the file is another agent", cli.Clean(k.AgentID), file)
	default:
		a.Say("it has no agent_id and was given this one, which its signature does not let be written in: write \"agent_id\": \"%s\" into %s and sign it --again; without it, what changes in the file is another agent", cli.Clean(k.AgentID), file)
	}
}
