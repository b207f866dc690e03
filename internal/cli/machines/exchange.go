package machines

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/filelock"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/memory"
)

// exchange syncs with a remote once, and stores the result in sync.json. show lets it show its
// progress.
func (t *thisMachine) exchange(ctx context.Context, r remote, show bool) (out outcome) {
	out.Remote = r.Name
	before, err := replicate.LogsCut(ctx, t.Vault, t.Owner)
	known, failed := t.memory.Machines(ctx)
	if err = errors.Join(err, failed); err != nil {
		out.fail(err)
		return out
	}
	if isPeer(r.Address) {
		err = t.exchangePeer(ctx, &r, &out, show)
	} else {
		err = t.exchangeFolder(ctx, r, &out, show)
	}
	if err != nil {
		out.fail(err)
	}
	t.cutLogs(ctx, before, &out)
	if now, err := t.memory.Machines(ctx); err == nil {
		out.Machines = newMachines(known, now)
	}
	if ctx.Err() != nil {
		return out
	}
	now := t.app.Now().UTC().Truncate(time.Second)
	noted := changeState(t.Home, t.Owner, func(s *ownerState) error {
		if err == nil && !isPeer(r.Address) { // it is a folder: an erasure has to clear it later
			s.addOnce(r)
		}
		if known, ok := s.remote(r.Address); ok {
			known.Tried, known.Machine, known.Failed = now, r.Machine, out.Error
			if known.Fails++; err == nil {
				known.Met, known.Fails = now, 0
			}
		}
		return nil
	})
	if noted != nil {
		t.app.Detail("how the exchange went could not be noted: %s", cli.Describe(noted))
	}
	return out
}

// newMachines returns the names of machines that take part now and were not known before. It
// returns none if only this machine was known before.
func newMachines(before, now []replica.Machine) (names []string) {
	for _, m := range now {
		if _, known := find(before, string(m.ID)); len(before) > 1 && !known && m.Removed.IsZero() {
			names = append(names, m.Name)
		}
	}
	return names
}

// cutLogs adds a trouble for each machine whose audit log was found cut since before.
func (t *thisMachine) cutLogs(ctx context.Context, before map[memory.DID]time.Time, out *outcome) {
	now, err := replicate.LogsCut(ctx, t.Vault, t.Owner)
	if err != nil {
		return // doctor reports it: the store keeps it
	}
	all, err := t.memory.Machines(ctx)
	for _, m := range all {
		if err == nil && !now[m.ID].Equal(before[m.ID]) {
			out.Troubles = append(out.Troubles, trouble{string(replica.ErrLogCut), m.Name, "", replica.ErrLogCut.Error()})
		}
	}
}

// exchangePeer syncs with another Satchel. It sets r.Machine to the machine that answered.
func (t *thisMachine) exchangePeer(ctx context.Context, r *remote, out *outcome, show bool) error {
	side, err := t.side()
	if err != nil {
		return err
	}
	client, err := (&cli.Server{CA: r.CA}).Client()
	if err != nil {
		return err
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	c := peer.Client{Side: side, URL: r.Address, HTTP: client, Machine: r.Machine}
	if show {
		progress := t.app.ProgressIn("exchanged", "items")
		defer progress.End()
		c.Progress = func(p peer.Report) { progress.Reached(p.Added + p.Changed + p.Other + p.Sent) }
	}
	report, err := c.Sync(ctx)
	out.joined(report.Joined)
	out.Sent, r.Machine = report.Sent, c.Machine
	refused := &peer.Refusal{}
	if errors.As(err, &refused) && refused.Fault == replica.ErrUnknown {
		out.Waiting = true
	}
	unreached := &net.OpError{}
	if errors.As(err, &unreached) {
		err = fmt.Errorf("nobody answers there; is satchel serve running? (%w)", unreached)
	}
	return err
}

// exchangeFolder syncs through a folder or another storage.
func (t *thisMachine) exchangeFolder(ctx context.Context, r remote, out *outcome, show bool) error {
	storage, done, err := openStorage(r)
	if err != nil {
		return err
	}
	defer done()
	owner, err := replicate.KeyOf(ctx, t.Vault, t.Caller())
	if err != nil {
		return err
	}
	known, err := readState(t.Home)
	if err != nil {
		return err
	}
	o := folder.Options{
		Name: r.storedName(), Storage: storage, Memory: t.memory, Remotes: t.memory, Owner: t.Owner, Secret: owner.Secret(folder.SecretPurpose),
		Key: t.machine.Key, Identity: t.machine.Identity, Random: rand.Reader, Now: t.app.Now, Unknown: known.of(t.Owner).Unknown,
	}
	if show {
		progress := t.app.ProgressIn("read", "bytes")
		defer progress.End()
		o.Progress = func(done, _ int64) { progress.Reached(int(done)) }
	}
	result, err := folder.Sync(ctx, o)
	out.joined(result.Joined)
	out.Read, out.Wrote, out.Cleared, out.Waiting = result.BytesRead, result.BytesWritten, result.Cleared, result.Waiting
	for _, m := range result.Requests {
		t.noteAsking(m)
		out.Asking = append(out.Asking, m.Name)
	}
	for _, x := range result.Troubles {
		out.Troubles = append(out.Troubles, trouble{string(x.Fault), x.Name, x.File, x.Detail})
	}
	return err
}

// errLocked: another program of this machine is syncing.
var errLocked = errors.New("another program syncs this machine just now")

// lock lets only this program sync the machine, until the caller closes the lock. If another
// program has it, lock waits for it, or fails with [errLocked] if wait is false.
func (t *thisMachine) lock(ctx context.Context, wait bool) (io.Closer, error) {
	lock, err := os.OpenFile(filepath.Join(t.Dir, "syncing.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		free, err := filelock.Try(lock)
		switch {
		case err != nil:
			return nil, errors.Join(err, lock.Close())
		case free:
			return lock, nil
		case !wait:
			return nil, errors.Join(errLocked, lock.Close())
		}
		if err := sleep.For(ctx, time.Second/10); err != nil {
			return nil, errors.Join(err, lock.Close())
		}
	}
}
