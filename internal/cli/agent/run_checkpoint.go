package agent

import (
	"crypto/rand"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
)

// getRun writes a run as a checkpoint, by the policy of its agent's definition (AAIF-12-10).
// The run stays here, and the audit log records it.
func (c *agentGetCmd) getRun(e *engine, id string) error {
	a := e.app
	if err := c.mayPut(a, c.Output, kindWords(aaif.StateKind)); err != nil {
		return err
	}
	state, err := e.checkpoint(id)
	if err != nil {
		return err
	}
	definition, err := policyFlags{}.policy(a, e.opened, e.keeper, state)
	if err != nil {
		return err
	}
	if definition.Agent.Compliance.PII == aaif.PIIEncrypt && !c.Clear {
		return sealRefusal("--clear writes it all the same")
	}
	document, masked, err := agents.ByPolicy(state, definition.Agent.Compliance.PII)
	if err != nil {
		return refusedAgent(a, err, "run "+id+" is not written")
	}
	if masked != "" {
		a.Warn("%s", cli.Clean(masked))
	}
	if err := c.mayGiveWay(a, c.Output, document); err != nil {
		return err
	}
	if err := e.keeper.Sending(a.Ctx, e.opened.Caller(), state, agents.ToFile, "", time.Time{}); err != nil {
		return err
	}
	return c.put(a, document)
}

// checkpoint returns a run as a new checkpoint.
func (e *engine) checkpoint(id string) (canon.Value, error) {
	state, err := aaif.NewID(rand.Reader)
	if err != nil {
		return canon.Value{}, err
	}
	return e.Checkpoint(e.app.Ctx, e.opened.Caller(), id, state)
}
