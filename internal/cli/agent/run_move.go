package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
)

// getRun writes a run as a checkpoint, by the policy of its agent's definition (AAIF-12-10).
// The run stays here, and the audit log records it.
func (c *agentGetCmd) getRun(e *engine, id string) error {
	a := e.app
	if err := c.MayPut(a, c.Output, agentdoc.KindWords(aaif.StateKind)); err != nil {
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
		return agentdoc.Refused(a, err, "run "+id+" is not written")
	}
	if masked != "" {
		a.Warn("%s", cli.Clean(masked))
	}
	if err := c.MayGiveWay(a, c.Output, document); err != nil {
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

// runNamed returns the id of the run that is to leave, "" if the argument means a
// checkpoint.
func (m *migration) runNamed() (string, error) {
	arg := m.cmd.State
	if arg == "-" || cli.Exists(arg) {
		return "", nil
	}
	if _, err := stateKept(m.app, m.opened, m.service, arg); !isNotKept(err) {
		return "", nil // read says what is wrong with it
	}
	id, err := runID(m.app, m.opened, m.engine.Host, arg)
	if isNotKept(err) {
		return "", nil
	}
	return id, err
}

// moveRun stops a run and sends it to another platform (AAIF-8.2-1). It ends here once it
// arrived there. If it did not leave it is paused here, and if nobody knows, it stays
// stopped until a person says where it is.
func (m *migration) moveRun(j agentdoc.Checker) (err error) {
	if err := m.find(); err != nil {
		return m.tellRefusal(err)
	}
	if err := m.capture(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.stay())
		}
	}()
	if err := m.read(m.service, j); err != nil {
		return agentdoc.Refused(m.app, err, "run "+m.run+" does not leave")
	}
	if err := m.leave(); err != nil {
		return err
	}
	if m.cmd.To == "" {
		m.app.Say("the run stands still here. If it is not taken in there: satchel agent resume %s --here", m.run)
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(m.app.Ctx), markTime)
	defer stop()
	m.mayBeOut = true // whatever becomes of the note
	_, err = m.engine.Left(ctx, m.opened.Caller(), m.run, m.to)
	return err
}

// capture stops the run, and takes its checkpoint.
func (m *migration) capture() error {
	id, err := aaif.NewID(rand.Reader)
	if err != nil {
		return err
	}
	r, _, err := m.engine.Get(m.app.Ctx, m.opened.Caller(), m.run)
	if err != nil {
		return err
	}
	switch {
	case r.Status == aaif.Migrating && m.cmd.Again:
		m.mayBeOut = true
		m.original, err = m.engine.Checkpoint(m.app.Ctx, m.opened.Caller(), m.run, id)
	case r.Status == aaif.Migrating, r.Status.Ended() && r.Platform != "":
		return cli.Refusedf("%s: the run left for %s; if it did not arrive there, --again sends it again, and satchel agent resume %s --here takes it back [AAIF-8.2-1]", aaif.StateLeft, cli.OneLine(r.Platform, 80), m.run)
	case r.Status.Ended():
		return cli.Refusedf("STATE_ENDED: the run is %s, and there is nothing to go on with [AAIF-8.2-1]", r.Status)
	default:
		m.original, err = m.engine.Leave(m.app.Ctx, m.opened.Caller(), m.run, id, m.to)
	}
	if err != nil {
		return refusedRun(m.app, err, "run "+m.run+" does not leave")
	}
	return nil
}

// stay takes the run back if it did not leave, and says so.
func (m *migration) stay() error {
	if m.mayBeOut {
		m.app.Warn("nobody knows whether the run arrived: ask there. If it did not, satchel agent resume %s --here takes it back", m.run)
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(m.app.Ctx), markTime)
	defer stop()
	if _, err := m.engine.Stayed(ctx, m.opened.Caller(), m.run); err != nil {
		return err
	}
	m.app.Say("the run is paused here; satchel agent resume %s goes on with it", m.run)
	return nil
}
