package machines

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pairing"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// JoinedMachine is this machine after it has joined by a code, before its store exists.
type JoinedMachine struct {
	Enrollment
	Owner   keys.Private
	Machine Machine
	address pairingAddress
	copied  *copyHead // of the copy with which its store begins; nil: there is none
}

// Join joins the owner's machines by CODE@ADDRESS, as satchel pair shows it. It stores nothing.
func Join(a *cli.App, typed string) (*JoinedMachine, error) {
	p, err := parsePairingAddress(typed)
	if err != nil {
		return nil, err
	}
	j := &JoinedMachine{address: p}
	if j.Machine, err = newMachine(a.Now()); err != nil {
		return nil, err
	}
	offer, err := json.Marshal(j.Machine.entry())
	if err != nil {
		return nil, err
	}
	a.Say("asking %s…", cli.Clean(strings.TrimPrefix(p.url, "https://")))
	secret, err := pairing.Client{
		HTTP: withoutRedirects(j.transport(func() []byte { return nil })), URL: p.url, Code: p.code, Offer: offer,
		Check: func(secret []byte) (err error) {
			if err = json.Unmarshal(secret, &j.Enrollment); err == nil {
				j.Owner, err = j.key(j.Machine.entry())
			}
			return err
		},
	}.Join(a.Ctx)
	clear(secret)
	switch {
	case errors.Is(err, pairing.ErrCode):
		return nil, cli.Refusedf("%w. Compare it with what satchel pair shows; three wrong codes end it", err)
	case errors.Is(err, pairing.ErrOver):
		return nil, cli.Refusedf("%w: it was used, was tried three times, or is ten minutes old. Start satchel pair on the other machine again", err)
	case err != nil:
		return nil, err
	}
	j.Machine.Name, j.Machine.Made = j.Enrollment.Machine.Name, j.Enrollment.Machine.Added
	return j, nil
}

// transport returns the transport to the other machine. If satchel pair itself answers there,
// it pins the certificate, see [pinnedTransport].
func (j *JoinedMachine) transport(digest func() []byte) http.RoundTripper {
	if j.address.temporary {
		return pinnedTransport(digest)
	}
	return nil
}

// Complete adds the machines to the new store, then syncs with the other machine. If the sync
// fails, the memories that it brought stay.
func (j *JoinedMachine) Complete(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		for _, m := range append([]replica.Machine{j.Enrollment.Machine}, j.Machines...) {
			if err := replicate.Admit(a.Ctx, o.Vault, memory.Caller{Owner: o.Owner, Role: memory.Owner}, m); err != nil {
				return err
			}
		}
		t, err := openThisMachine(a, o, false)
		if err != nil {
			return err
		}
		if err := j.firstSync(t); err != nil {
			return &unfinishedError{err}
		}
		return nil
	})
}

// unfinishedError means that the machine takes part, but its first sync failed.
type unfinishedError struct{ Err error }

// Error describes the failure for people, and says what to do.
func (e *unfinishedError) Error() string {
	return "this machine takes part now, but has not all of the memory yet (" + e.Err.Error() + "): name where the machines meet with satchel sync add, then satchel sync"
}

// Unwrap returns the cause.
func (e *unfinishedError) Unwrap() error { return e.Err }

// firstSync syncs with the machine that showed the code, and adds its satchel serve as a remote.
func (j *JoinedMachine) firstSync(t *thisMachine) error {
	progress := t.app.ProgressIn("exchanged", "items")
	defer progress.End()
	began := time.Now()
	side, err := t.side()
	if err != nil {
		return err
	}
	c := peer.Client{Side: side, URL: j.address.url, HTTP: withoutRedirects(j.transport(func() []byte { return j.Certificate })), Ticket: j.Ticket}
	if j.copied != nil {
		c.Machine = j.copied.From
	}
	c.Progress = func(r peer.Report) { progress.Reached(r.Added + r.Changed + r.Other + r.Sent) }
	r, err := c.Sync(t.app.Ctx)
	if err != nil {
		return err
	}
	t.app.Detail("%d items in %d round trips, %s", r.Added+r.Changed+r.Other, r.Rounds, time.Since(began).Round(time.Millisecond))
	if j.copied != nil {
		if r.Added, err = t.CountMemories(t.app.Ctx); err != nil {
			return err
		}
	}
	t.app.Say("%s here now; this machine is called %s among yours", cli.Plural(r.Added, "memory is", "memories are"), cli.Clean(j.Machine.Name))
	if j.address.temporary {
		t.app.Say("from now on the machines meet where you say: satchel sync add REMOTE on each, see satchel sync --help")
		return nil
	}
	return changeState(t.Home, t.Owner, func(s *ownerState) error {
		return s.add(remote{Name: nameOf(j.address.url), Address: j.address.url, Machine: c.Machine, Met: t.app.Now(), Tried: t.app.Now()})
	})
}
