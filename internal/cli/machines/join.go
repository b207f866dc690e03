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

// Joining is a machine that has joined by a code, before anything of it is written.
type Joining struct {
	Gift
	Owner   keys.Private
	Machine Machine
	place   spot
}

// Join gets the owner's key from the machine that shows a code. It writes nothing.
func Join(a *cli.App, typed string) (*Joining, error) {
	p, err := parsePlace(typed)
	if err != nil {
		return nil, err
	}
	j := &Joining{place: p}
	if j.Machine, err = newMachine(a.Now()); err != nil {
		return nil, err
	}
	offer, err := json.Marshal(j.Machine.entry())
	if err != nil {
		return nil, err
	}
	a.Say("asking %s…", cli.Clean(strings.TrimPrefix(p.url, "https://")))
	gift, err := pairing.Joining{
		Client: stay(j.way(func() []byte { return nil })), URL: p.url, Code: p.code, Offer: offer,
		Check: func(gift []byte) (err error) {
			if err = json.Unmarshal(gift, &j.Gift); err == nil {
				j.Owner, err = j.key(j.Machine.entry())
			}
			return err
		},
	}.Join(a.Ctx)
	clear(gift)
	switch {
	case errors.Is(err, pairing.ErrCode):
		return nil, cli.Refusedf("%w. Compare it with what satchel pair shows; three wrong codes end it", err)
	case errors.Is(err, pairing.ErrOver):
		return nil, cli.Refusedf("%w: it was used, was tried three times, or is ten minutes old. Start satchel pair on the other machine again", err)
	case err != nil:
		return nil, err
	}
	j.Machine.Name, j.Machine.Made = j.Gift.Machine.Name, j.Gift.Machine.Added
	return j, nil
}

// way is how to reach the other machine. One that serves a pairing only has a certificate
// with this digest; nil: any.
func (j *Joining) way(digest func() []byte) http.RoundTripper {
	if j.place.passing {
		return stranger(digest)
	}
	return nil
}

// Settle makes the new store one of the owner's machines, and brings the memory over. What
// it has brought stays if it fails.
func (j *Joining) Settle(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		for _, m := range append([]replica.Machine{j.Gift.Machine}, j.Machines...) {
			if err := replicate.Admit(a.Ctx, o.Vault, memory.Caller{Owner: o.Owner, Role: memory.Owner}, m); err != nil {
				return err
			}
		}
		f, err := enter(a, o, false)
		if err != nil {
			return err
		}
		if err := j.fetch(f); err != nil {
			return &unfinishedError{err}
		}
		return nil
	})
}

// unfinishedError: the machine takes part, and has not all of the memory yet.
type unfinishedError struct{ Err error }

// Error says so.
func (e *unfinishedError) Error() string {
	return "this machine takes part now, but has not all of the memory yet (" + e.Err.Error() + "): name where the machines meet with satchel sync add, then satchel sync"
}

// Unwrap returns the cause.
func (e *unfinishedError) Unwrap() error { return e.Err }

// fetch makes the first exchange, with the machine that showed the code.
func (j *Joining) fetch(f *fleet) error {
	progress := f.app.ProgressIn("exchanged", "items")
	defer progress.End()
	began := time.Now()
	side, err := f.side()
	if err != nil {
		return err
	}
	c := peer.Client{Side: side, URL: j.place.url, HTTP: stay(j.way(func() []byte { return j.Certificate }))}
	c.Progress = func(r peer.Report) { progress.Reached(r.Added + r.Changed + r.Other + r.Sent) }
	r, err := c.Sync(f.app.Ctx)
	if err != nil {
		return err
	}
	f.app.Detail("%d items in %d round trips, %s", r.Added+r.Changed+r.Other, r.Rounds, time.Since(began).Round(time.Millisecond))
	f.app.Say("%s here now; this machine is called %s among yours", cli.Plural(r.Added, "memory is", "memories are"), cli.Clean(j.Machine.Name))
	if j.place.passing {
		f.app.Say("from now on the machines meet where you say: satchel sync add REMOTE on each, see satchel sync --help")
		return nil
	}
	return changeState(f.Home, f.Owner, func(s *ownerState) error {
		return s.add(remote{Name: nameOf(j.place.url), Address: j.place.url, Machine: c.Machine, Met: f.app.Now(), Tried: f.app.Now()})
	})
}
