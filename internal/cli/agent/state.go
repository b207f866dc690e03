package agent

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/memory"
)

type agentStateCmd struct {
	Add     agentStateAddCmd     `cmd:"" help:"Add a checkpoint that another platform wrote to a file with a migration token."`
	Get     agentStateGetCmd     `cmd:"" help:"Print a checkpoint from the store."`
	Check   agentStateCheckCmd   `cmd:"" help:"List every violation in a checkpoint, and check its checksum."`
	Redact  agentStateRedactCmd  `cmd:"" help:"Write a checkpoint without secrets, and apply its agent's policy to personal data."`
	Remove  agentStateRemoveCmd  `cmd:"" help:"Remove a checkpoint for good."`
	Restore agentStateRestoreCmd `cmd:"" help:"Propose the memories of a checkpoint. They hold once you confirm them."`
}

// checkpoint reads a checkpoint from a file, from standard input, or by its id from the
// store.
func checkpoint(a *cli.App, o *cli.Session, s *agents.Service, arg string) (aaif.Document, error) {
	if arg != "-" && !cli.Exists(arg) {
		l, err := stateKept(a, o, s, arg)
		if memory.KindOf(err) == memory.NotFound || len(arg) < cli.LeastPrefix && cli.StatusOf(err) == cli.ExitUsage {
			err = notKept(nil, cli.Clean(arg)+" is neither a file nor the id of a checkpoint that is kept; satchel agent states lists these")
		}
		return aaif.Document{Kind: aaif.StateKind, Value: l.Document}, err
	}
	d, err := agentdoc.Read(a, arg)
	if err == nil && d.Kind != aaif.StateKind {
		err = cli.Invalidf("%s is a document of type %s; a checkpoint of a run is wanted, which has a state_id", cli.Clean(arg), d.Kind)
	}
	return d, err
}

type agentStateAddCmd struct {
	File     string `arg:"" help:"A checkpoint, or - for standard input."`
	Platform string `help:"The name of this platform, which the token must name. Default: the name that your bundles carry." placeholder:"NAME"`
}

// Run adds a checkpoint from a file, with the checks of the HTTP route in the same order:
// checksum, token, binding, agent (AAIF-8.2-3, AAIF-8.2-4).
func (c *agentStateAddCmd) Run(a *cli.App) error {
	d, err := agentdoc.Read(a, c.File)
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		s, err := Keeper(o, a, c.Platform, "")
		if err != nil {
			return err
		}
		platform := cmp.Or(c.Platform, o.CurrentProducer().Name)
		if d.Kind == aaif.StateKind && !a.JSON {
			if err := c.lacking(d.Value, platform); err != nil {
				return err
			}
		}
		l, err := s.Receive(a.Ctx, o.Caller(), d.Value)
		if err != nil {
			return c.refused(a, o, s, d.Value, platform, err)
		}
		if a.JSON {
			return a.Emit(landedOutOf(l))
		}
		for _, line := range l.Warnings {
			a.Warn("%s", cli.Clean(line))
		}
		a.Print("%s  %s, of agent %s", cli.Clean(l.StateID), l.Status, cli.Clean(l.AgentID))
		a.Say("its run stood still where it came from; satchel agent resume %s goes on with it here", cli.Clean(l.StateID))
		return nil
	})
}

type agentStateGetCmd struct {
	ID    string `arg:"" help:"The checkpoint's id, or its first characters, as satchel agent states shows it."`
	Clear bool   `help:"Print it in the clear even if its agent's policy is encrypt."`

	agentPlace
}

// Run writes a checkpoint as it is kept, in canonical form and in the clear. The agent's
// definition may require a flag for that (AAIF-12-10, AAIF-12-11). The audit log records
// it.
func (c *agentStateGetCmd) Run(a *cli.App) error {
	if err := c.MayPut(a, c.Output, agentdoc.KindWords(aaif.StateKind)); err != nil {
		return err
	}
	return withKeeper(a, cli.Signing, func(o *cli.Session, s *agents.Service) error {
		l, err := stateKept(a, o, s, c.ID)
		if err != nil {
			return err
		}
		definition, err := policyFlags{}.policy(a, o, s, l.Document)
		if err != nil {
			return err
		}
		if definition.Agent.Compliance.PII == aaif.PIIEncrypt && !c.Clear {
			return sealRefusal("--clear writes it all the same")
		}
		document, masked, err := agents.ByPolicy(l.Document, definition.Agent.Compliance.PII)
		if err != nil {
			return agentdoc.Refused(a, err, cli.Clean(c.ID)+" is not written")
		}
		if masked != "" {
			a.Warn("%s", cli.Clean(masked))
		}
		if err := c.MayGiveWay(a, c.Output, document); err != nil {
			return err
		}
		if err := s.Sending(a.Ctx, o.Caller(), l.Document, agents.ToFile, "", time.Time{}); err != nil {
			return err
		}
		return c.put(a, document)
	})
}

type agentStateCheckCmd struct {
	State string `arg:"" help:"A checkpoint: a file, - for standard input, or its id in the store."`

	agentdoc.CheckFlags
}

// Run lists what is wrong with a checkpoint.
func (c *agentStateCheckCmd) Run(a *cli.App) error {
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	return withKeeper(a, cli.Probing, func(o *cli.Session, s *agents.Service) error {
		d, err := checkpoint(a, o, s, c.State)
		if err != nil {
			return err
		}
		found := j.Check(d, false)
		for _, p := range j.CheckState(d) { // as a receiver checks it
			if !slices.ContainsFunc(found, func(q *codec.ParseError) bool { return q.Path == p.Path && q.Rule == p.Rule }) {
				found = append(found, p)
			}
		}
		from := d.Value.Get("provenance")
		summed := from.Has("checksum")
		if summed || from.Has("migration_token") { // neither leaves without the other
			found = append(found, agentdoc.Violations(aaif.VerifyChecksum(d.Value))...)
		}
		if wrong := agentdoc.Errors(found); len(wrong) > 0 {
			return agentdoc.Refused(a, joinFindings(wrong), c.State)
		}
		read := aaif.ReadState(d.Value)
		if a.JSON {
			return a.Emit(map[string]any{"valid": true, "checksum": read.Provenance.Checksum, "state_id": read.ID, "agent_id": read.AgentID, "run_id": read.RunID, "status": read.Status, "warnings": agentdoc.Findings(found)})
		}
		for _, f := range agentdoc.Findings(found) {
			a.Warn("%s  %s: %s [%s]", f.Code, cli.Clean(cmp.Or(f.Pointer, "the document")), cli.Clean(f.Message), f.Rule)
		}
		sum := "its checksum is right"
		if !summed {
			sum = "it has no checksum, which it needs before it leaves"
		}
		a.Print("valid: checkpoint %s of agent %s, %s; %s", cli.OneLine(read.ID, 80), cli.OneLine(read.AgentID, 80), read.Status, sum)
		return nil
	})
}
