package main

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/memory"
)

type agentStateCmd struct {
	Add     agentStateAddCmd     `cmd:"" help:"Take a checkpoint in that another platform has sent as a file, by its migration token."`
	Get     agentStateGetCmd     `cmd:"" help:"Write a checkpoint as it came."`
	Check   agentStateCheckCmd   `cmd:"" help:"List every violation in a checkpoint, and whether its checksum is right."`
	Redact  agentStateRedactCmd  `cmd:"" help:"Write a checkpoint without secrets, and with what identifies people as its agent's policy has it."`
	Restore agentStateRestoreCmd `cmd:"" help:"Propose what a checkpoint remembers as memories, which hold when you confirm them."`
}

// checkpoint reads a checkpoint: of a file, of standard input, or by its id of what is
// kept.
func (a *app) checkpoint(o *opened, s *agents.Service, arg string) (aaif.Document, error) {
	if arg != "-" && !exists(arg) {
		l, err := s.Look(a.ctx, o.owner(), arg)
		if memory.KindOf(err) == memory.NotFound {
			return aaif.Document{}, &memory.Error{Kind: memory.NotFound, Op: "agent state", Err: err,
				Message: clean(arg) + " is neither a file nor the id of a checkpoint that is kept; satchel agent states lists these"}
		}
		return aaif.Document{Kind: aaif.StateKind, Value: l.Document}, err
	}
	d, err := a.agentDocument(arg)
	if err == nil && d.Kind != aaif.StateKind {
		err = invalidf("%s is a document of type %s; a checkpoint of a run is wanted, which has a state_id", clean(arg), d.Kind)
	}
	return d, err
}

type agentStateAddCmd struct {
	File     string `arg:"" help:"A checkpoint, or - for standard input."`
	Platform string `help:"The name for which its token has to be, where serve was given one. Default: that of the producer of bundles." placeholder:"NAME"`
}

// Run takes a checkpoint in that came out of band: checksum, token, binding, agent, in
// this order, as over HTTP (AAIF-8.2-3, AAIF-8.2-4).
func (c *agentStateAddCmd) Run(a *app) error {
	d, err := a.agentDocument(c.File)
	if err != nil {
		return err
	}
	return a.with(signing, func(o *opened) error {
		s, err := o.keeper(a, c.Platform, "")
		if err != nil {
			return err
		}
		l, err := s.Receive(a.ctx, o.owner(), d.Value)
		if err != nil {
			return a.refusedAgent(err, c.File+" is not taken in")
		}
		if a.json {
			return a.emit(landedOutOf(l))
		}
		for _, line := range l.Warnings {
			a.warn("%s", clean(line))
		}
		a.print("%s  %s, of agent %s", clean(l.StateID), l.Status, clean(l.AgentID))
		a.say("its run stood still where it came from; nothing runs it here")
		return nil
	})
}

type agentStateGetCmd struct {
	ID    string `arg:"" help:"The checkpoint's id, as satchel agent states shows it."`
	Clear bool   `help:"Though the policy of its agent's definition is encrypt."`

	agentPlace
}

// Run writes a checkpoint as it came, and in the clear, which its agent's definition may
// not let be done unasked (AAIF-12-10, AAIF-12-11). The audit log says so.
func (c *agentStateGetCmd) Run(a *app) error {
	return a.keeping(signing, func(o *opened, s *agents.Service) error {
		l, err := s.Look(a.ctx, o.owner(), c.ID)
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
		if err := s.Sending(a.ctx, o.owner(), l.Document, agents.ToFile, "", time.Time{}); err != nil {
			return err
		}
		return c.put(a, l.Document)
	})
}

type agentStateCheckCmd struct {
	State string `arg:"" help:"A checkpoint: a file, - for standard input, or the id of one that is kept."`

	agentJudgeFlags
}

// Run lists what is wrong with a checkpoint.
func (c *agentStateCheckCmd) Run(a *app) error {
	j, err := c.judge(a)
	if err != nil {
		return err
	}
	return a.keeping(probing, func(o *opened, s *agents.Service) error {
		d, err := a.checkpoint(o, s, c.State)
		if err != nil {
			return err
		}
		found := j.judge(d, false)
		found = append(found, agentViolations(aaif.VerifyChecksum(d.Value))...)
		if wrong := agentErrors(found); len(wrong) > 0 {
			return a.refusedAgent(joinedFindings(wrong), c.State)
		}
		read := aaif.ReadState(d.Value)
		if a.json {
			return a.emit(map[string]any{"valid": true, "checksum": read.Provenance.Checksum, "state_id": read.ID, "agent_id": read.AgentID, "run_id": read.RunID, "status": read.Status})
		}
		a.print("valid: checkpoint %s of agent %s, %s; its checksum is right", oneLine(read.ID, 80), oneLine(read.AgentID, 80), read.Status)
		return nil
	})
}

type agentStateRestoreCmd struct {
	ID      string `arg:"" help:"The id of a checkpoint that is kept."`
	Session string `help:"The session that goes on, whose memory comes, too. Default: a new one." placeholder:"ID"`
	DryRun  bool   `short:"n" help:"Say what would be proposed and change nothing."`
}

// Run proposes what a run remembered. What an agent noted elsewhere is not known to be
// true here: it waits for the owner, as what is found in conversations does.
func (c *agentStateRestoreCmd) Run(a *app) error {
	need := writing
	if c.DryRun {
		need = signing
	}
	return a.keeping(need, func(o *opened, s *agents.Service) error {
		l, err := s.Look(a.ctx, o.owner(), c.ID)
		if err != nil {
			return err
		}
		drafts, lost, err := aaif.ReadState(l.Document).Memories(aaif.MemoryOptions{Now: a.now(), Owner: o.Owner, SameUser: true, Session: c.Session})
		if err != nil {
			return a.refusedAgent(err, "nothing is proposed")
		}
		done, err := o.Suggest(a.ctx, o.owner(), drafts, c.DryRun)
		if err != nil {
			return err
		}
		if a.json {
			records, err := raws(done.Waiting)
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"dry_run": c.DryRun, "proposed": records, "known": done.Known, "rejected": done.Declined, "left_out": len(lost)})
		}
		for _, rec := range done.Waiting {
			showProposed(a, rec)
		}
		for _, l := range lost {
			a.warn("left out: %s", clean(strings.TrimSpace(l.Pointer+": "+l.Reason)))
		}
		a.say("%s for you to decide, %d known already, %d rejected before: satchel corrections list, confirm and reject", plural(len(done.Waiting), "memory waits", "memories wait"), done.Known, done.Declined)
		return nil
	})
}
