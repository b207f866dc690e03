package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
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

// checkpoint reads a checkpoint: of a file, of standard input, or by its id of what is
// kept.
func (a *app) checkpoint(o *opened, s *agents.Service, arg string) (aaif.Document, error) {
	if arg != "-" && !exists(arg) {
		l, err := a.stateKept(o, s, arg)
		if memory.KindOf(err) == memory.NotFound || len(arg) < leastPrefix && statusOf(err) == exitUsage {
			err = notKept(nil, clean(arg)+" is neither a file nor the id of a checkpoint that is kept; satchel agent states lists these")
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
	Platform string `help:"The name of this platform, which the token must name. Default: the name that your bundles carry." placeholder:"NAME"`
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
		platform := cmp.Or(c.Platform, o.producer().Name)
		if d.Kind == aaif.StateKind && !a.json {
			if err := c.lacking(d.Value, platform); err != nil {
				return err
			}
		}
		l, err := s.Receive(a.ctx, o.owner(), d.Value)
		if err != nil {
			return c.refused(a, o, s, d.Value, platform, err)
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
	ID    string `arg:"" help:"The checkpoint's id, or its first characters, as satchel agent states shows it."`
	Clear bool   `help:"Print it in the clear even if its agent's policy is encrypt."`

	agentPlace
}

// Run writes a checkpoint as it is kept, in canonical form and in the clear, which its agent's definition may
// not let be done unasked (AAIF-12-10, AAIF-12-11). The audit log says so.
func (c *agentStateGetCmd) Run(a *app) error {
	if err := c.mayPut(a, c.Output, kindWords(aaif.StateKind)); err != nil {
		return err
	}
	return a.keeping(signing, func(o *opened, s *agents.Service) error {
		l, err := a.stateKept(o, s, c.ID)
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
			return a.refusedAgent(err, clean(c.ID)+" is not written")
		}
		if masked != "" {
			a.warn("%s", clean(masked))
		}
		if err := c.mayGiveWay(a, c.Output, document); err != nil {
			return err
		}
		if err := s.Sending(a.ctx, o.owner(), l.Document, agents.ToFile, "", time.Time{}); err != nil {
			return err
		}
		return c.put(a, document)
	})
}

type agentStateCheckCmd struct {
	State string `arg:"" help:"A checkpoint: a file, - for standard input, or its id in the store."`

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
		for _, p := range j.JudgeState(d) { // as it is judged where it arrives
			if !slices.ContainsFunc(found, func(q *codec.ParseError) bool { return q.Path == p.Path && q.Rule == p.Rule }) {
				found = append(found, p)
			}
		}
		from := d.Value.Get("provenance")
		summed := from.Has("checksum")
		if summed || from.Has("migration_token") { // which does not leave without the other
			found = append(found, agentViolations(aaif.VerifyChecksum(d.Value))...)
		}
		if wrong := agentErrors(found); len(wrong) > 0 {
			return a.refusedAgent(joinedFindings(wrong), c.State)
		}
		read := aaif.ReadState(d.Value)
		if a.json {
			return a.emit(map[string]any{"valid": true, "checksum": read.Provenance.Checksum, "state_id": read.ID, "agent_id": read.AgentID, "run_id": read.RunID, "status": read.Status, "warnings": agentFindings(found)})
		}
		for _, f := range agentFindings(found) {
			a.warn("%s  %s: %s [%s]", f.Code, clean(cmp.Or(f.Pointer, "the document")), clean(f.Message), f.Rule)
		}
		sum := "its checksum is right"
		if !summed {
			sum = "it has no checksum, which it needs before it leaves"
		}
		a.print("valid: checkpoint %s of agent %s, %s; %s", oneLine(read.ID, 80), oneLine(read.AgentID, 80), read.Status, sum)
		return nil
	})
}
