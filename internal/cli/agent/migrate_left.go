package agent

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/memory"
)

// checkElsewhere refuses a checkpoint whose run continues on another platform, and warns
// of one whose token may be in use (AAIF-8.2-1).
func (m *migration) checkElsewhere() error {
	if err := m.findBefore(); err != nil {
		return err
	}
	switch name, at := cli.OneLine(m.before.For, 80), cli.Local(m.before.At); {
	case m.before.At.IsZero():
	case m.before.To == "":
		m.app.Warn("a migration token was issued for it at %s, for %s: whoever has that can bring the run there until %s; see to it that it goes on at one place only",
			at, name, cli.Local(m.before.At.Add(aaif.TokenLifetime)))
	case m.cmd.Again:
		m.app.Warn("%s has it since %s: see to it that the run goes on at one place only", name, at)
	default:
		return cli.Refusedf("%s: it left for %s (%s) at %s, and the run goes on there; --again sends it nevertheless [AAIF-8.2-1]",
			aaif.StateLeft, name, cli.Clean(m.before.To), at)
	}
	return nil
}

// findBefore finds where the checkpoint went before: beside it in the store, else among
// those that left from files.
func (m *migration) findBefore() error {
	if m.run != "" {
		return nil // its journal says so
	}
	l, err := m.service.Look(m.app.Ctx, m.opened.Caller(), m.original.Get("state_id").Text())
	if memory.KindOf(err) != memory.NotFound {
		m.before = l.Left
		return err
	}
	m.fromFile = agents.IDOf(m.original.Get("state_id").Text())
	known, err := readDepartures(m.opened.Home)
	m.before = known[m.fromFile]
	m.noted = m.before
	return err
}

// noteUnsent records the result of sending a checkpoint that was not accepted. A platform
// that refuses it does not have it. After a used token, or without an answer, this is
// unknown. Nothing left if no connection was made, for example after a failed TLS
// handshake.
func (m *migration) noteUnsent(err error) {
	if !m.mayHaveLeft.Load() {
		m.noteDeparture(m.before)
		return
	}
	m.warnTokenUsed()
	m.mayBeOut = true
	refusal, ok := errors.AsType[*aaifhttp.Refusal](err)
	if ok && refusal.Status >= http.StatusBadRequest && refusal.Status < http.StatusInternalServerError && refusal.Code != aaif.TokenReplayed {
		m.mayBeOut = false
		m.noteDeparture(m.before)
	}
}

// sendContext returns the context for sending. It notes a completed connection, over
// which something may have left.
func (m *migration) sendContext() context.Context {
	return httptrace.WithClientTrace(m.app.Ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { m.mayHaveLeft.Store(true) }})
}

// markTime is the most time for recording where a checkpoint is.
const markTime = 10 * time.Second

// noteIssued records that a token leaves with a checkpoint that is not kept here. The store
// does it for those that are kept (see [agents.Service.Leaving]).
// It fails if another program has sent the checkpoint since this one looked.
func (m *migration) noteIssued() error {
	if m.fromFile == "" || m.before.To != "" {
		return nil
	}
	err := m.noteDepartureOf(m.fromFile, aaif.Departure{For: m.to})
	if errors.Is(err, errLeaving) {
		return cli.Refusedf("%s: another program is sending it; ask again once that is done [AAIF-8.2-1]", aaif.StateLeft)
	}
	m.warnUnremembered(err)
	return nil
}

// noteDeparture records where a checkpoint is.
func (m *migration) noteDeparture(d aaif.Departure) {
	if m.run != "" {
		return // moveRun does it
	}
	if m.fromFile != "" {
		m.warnUnremembered(m.noteDepartureOf(m.fromFile, d))
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(m.app.Ctx), markTime) // also after an interrupt
	defer stop()
	m.warnUnremembered(m.service.Left(ctx, m.opened.Caller(), m.state.Get("state_id").Text(), d))
}

// noteDepartureOf records where a checkpoint is that left from a file.
func (m *migration) noteDepartureOf(checkpoint string, d aaif.Departure) error {
	if d.For != "" && d.At.IsZero() {
		d.At = m.app.Now().UTC().Truncate(time.Second)
	}
	err := rememberDeparture(m.opened.Home, checkpoint, m.noted, d)
	if err == nil {
		m.noted = d
	}
	return err
}

func (m *migration) warnUnremembered(err error) {
	if err != nil {
		m.app.Warn("where it is is not remembered: %v", err)
	}
}

// tokenKeys returns the current keys of this store that sign migration tokens in its own
// name, so that its own runs may come back (AAIF-8.2-4). Rotated keys are not among them,
// since a token is valid for minutes.
func tokenKeys(o *cli.Session, owner memory.DID) []ed25519.PublicKey {
	if owner != o.Owner || o.Key.IsZero() {
		return nil
	}
	key, err := o.ProducerKey()
	if err != nil {
		return nil
	}
	return agentdoc.PublicOf(key)
}
