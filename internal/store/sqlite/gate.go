package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// gate lets one process write at a time, in turn. SQLite alone would do so by
// having the others sleep and try again, for up to a tenth of a second each
// time, and whoever comes back at the right moment wins.
//
// There are two locks, each on an empty file of its own. A writer takes next,
// then write, then gives next back. Whoever has just written must take next
// again, so it queues behind the one who waits with next in hand: a busy process
// cannot starve the rest. The kernel frees the locks of a process that dies.
//
// Where files cannot be locked (some network file systems) the gate stands open
// and SQLite's own locks do alone. A gate serves one goroutine.
type gate struct {
	next, write *os.File
	open        bool       // files cannot be locked here
	pending     chan error // an attempt to lock that nobody waits for any more
}

// openGate opens or makes the two files beside the store.
func openGate(path string) (*gate, error) {
	next, err := os.OpenFile(path+".next", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, gateError(err)
	}
	write, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		_ = next.Close() // nothing was written
		return nil, gateError(err)
	}
	return &gate{next: next, write: write}, nil
}

func gateError(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return refusal("open store", errors.Join(store.ErrReadOnly, err),
			"the folder cannot be written; change its permissions, or open the store for reading only")
	case errors.Is(err, syscall.ENOSPC):
		return refusal("open store", errors.Join(store.ErrFull, err), "the disk is full; make room, then try again")
	}
	return refusal("open store", err, "the lock files cannot be opened; check the store's folder")
}

// lock waits for this process's turn, at most for patience.
func (g *gate) lock(patience time.Duration) error {
	if g.open {
		return nil
	}
	if g.pending == nil {
		if ok, err := g.try(); ok || err != nil {
			return g.degrade(err)
		}
		g.pending = make(chan error, 1)
		go func(done chan<- error) { done <- g.wait() }(g.pending)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-g.pending:
		g.pending = nil
		return g.degrade(err)
	case <-timer.C:
		return refusal("write", store.ErrBusy, "another process holds the store; let it finish, then try again")
	}
}

// try takes both locks if nobody is in the way.
func (g *gate) try() (bool, error) {
	ok, err := tryLock(g.next)
	if !ok || err != nil {
		return false, err
	}
	ok, err = tryLock(g.write)
	return ok, errors.Join(err, unlock(g.next))
}

// wait takes both locks, however long that takes.
func (g *gate) wait() error {
	if err := waitLock(g.next); err != nil {
		return err
	}
	return errors.Join(waitLock(g.write), unlock(g.next))
}

// degrade opens the gate for good where locks do not exist.
func (g *gate) degrade(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) {
		g.open = true
		return nil
	}
	return err
}

func (g *gate) unlock() error {
	if g.open {
		return nil
	}
	return unlock(g.write)
}

func (g *gate) close() error { return errors.Join(g.next.Close(), g.write.Close()) }
