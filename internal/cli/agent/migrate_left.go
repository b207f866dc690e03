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
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// here refuses a checkpoint that another platform has, where the run goes on, and warns of
// one whose token may be on its way (AAIF-8.2-1).
func (m *migration) here() error {
	l, err := m.service.Look(m.app.Ctx, m.opened.Caller(), m.was.Get("state_id").Text())
	if memory.KindOf(err) == memory.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	m.before = l.Left
	switch name, at := cli.OneLine(l.Left.For, 80), cli.Local(l.Left.At); {
	case l.Left.At.IsZero():
	case l.Left.To == "":
		m.app.Warn("a migration token was issued for it at %s, for %s: whoever has that can bring the run there until %s; see to it that it goes on at one place only",
			at, name, cli.Local(l.Left.At.Add(aaif.TokenLifetime)))
	case m.cmd.Again:
		m.app.Warn("%s has it since %s: see to it that the run goes on at one place only", name, at)
	default:
		return cli.Refusedf("%s: it left for %s (%s) at %s, and the run goes on there; --again sends it nevertheless [AAIF-8.2-1]",
			aaif.StateLeft, name, cli.Clean(l.Left.To), at)
	}
	return nil
}

// stays says what may come of a checkpoint that was sent and not taken in. A platform that
// has refused it does not have it; of one that used the token before, or did not answer,
// that is not known. Nothing has left where nobody was connected to, as of a handshake of
// TLS that failed.
func (m *migration) stays(err error) {
	if !m.away.Load() {
		m.keep(m.before)
		return
	}
	m.maybeUsed()
	refusal, ok := errors.AsType[*aaifhttp.Refusal](err)
	if ok && refusal.Status >= http.StatusBadRequest && refusal.Status < http.StatusInternalServerError && refusal.Code != aaif.TokenReplayed {
		m.keep(m.before)
	}
}

// leaving is the context in which the checkpoint is sent: it tells that there is a
// connection, whose handshake is over, by which something may have left.
func (m *migration) leaving() context.Context {
	return httptrace.WithClientTrace(m.app.Ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { m.away.Store(true) }})
}

// markTime is how long it may take to remember where a checkpoint is.
const markTime = 10 * time.Second

// keep remembers where a checkpoint is that is kept here.
func (m *migration) keep(d aaif.Departed) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(m.app.Ctx), markTime) // an interrupted one, too
	defer stop()
	if err := m.service.Left(ctx, m.opened.Caller(), m.state.Get("state_id").Text(), d); err != nil {
		m.app.Warn("where it is is not remembered: %v", err)
	}
}

// tokenKeys are the keys of this store that sign migration tokens under its own name: what
// its owner has let leave for here may come back (AAIF-8.2-4). Those of before a rotation
// are none: a token lives for minutes.
func tokenKeys(o *cli.Opened, owner memory.DID) []ed25519.PublicKey {
	if owner != o.Owner || o.Key.IsZero() {
		return nil
	}
	key, err := o.ProducerKey()
	if err != nil {
		return nil
	}
	return publicOf(key)
}
