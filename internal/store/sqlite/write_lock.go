package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
	"github.com/satchel-memory/satchel/internal/store"
)

// gate lets one process write at a time, in order of arrival. SQLite alone makes the
// others sleep and try again, for up to a tenth of a second each time, and the
// process that comes back at the right moment wins.
//
// There are two locks, each on an empty file of its own. A writer takes next, then
// write, then releases next. A process that has just written must take next again, so
// it queues behind the process that holds next: a busy process cannot starve the
// rest. The kernel releases the locks of a process that dies.
//
// If files cannot be locked (some network file systems) the gate stays open and only
// SQLite's own locks apply. A gate serves one goroutine.
type gate struct {
	next, write *os.File
	open        bool     // files cannot be locked here
	pending     *attempt // still waiting, since a wait for a lock cannot be cancelled
}

// attempt is a wait for the locks on a goroutine of its own.
type attempt struct {
	mu     sync.Mutex
	wanted bool       // a caller waits for the result; else the locks are released
	over   bool       // the locks were released
	result chan error // has room for one
}

// openGate opens or makes the two files beside the store.
func openGate(path string) (*gate, error) {
	next, err := os.OpenFile(path+".next", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, gateError(err)
	}
	write, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		_ = next.Close() // the file is empty
		return nil, gateError(err)
	}
	for _, f := range []*os.File{next, write} {
		_ = f.Chmod(0o600) // SQLite gives the database the mode of these files; a file of another owner keeps its mode
	}
	return &gate{next: next, write: write}, nil
}

func gateError(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return refusal("open store", fmt.Errorf("%w: %w", store.ErrReadOnly, err),
			"the store can only be read here: recall, list, get, export and serve --read-only work; to write, make the folder and its files writable for you")
	case errors.Is(err, syscall.ENOSPC):
		return refusal("open store", fmt.Errorf("%w: %w", store.ErrFull, err), "the disk is full; make room, then try again")
	}
	return refusal("open store", err, "the lock files cannot be opened; check the store's folder")
}

// lock waits for this process's turn, at most for patience.
func (g *gate) lock(patience time.Duration) error {
	if g.open {
		return nil
	}
	if g.pending == nil || !g.pending.resume() {
		if ok, err := g.try(); ok || err != nil {
			return g.degrade(err)
		}
		g.pending = &attempt{wanted: true, result: make(chan error, 1)}
		go g.pending.run(g.wait, func() error { return filelock.Unlock(g.write) })
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-g.pending.result:
		g.pending = nil
		return g.degrade(err)
	case <-timer.C:
	}
	if g.pending.giveUp() {
		return refusal("write", store.ErrBusy, "another process holds the store; let it finish, then try again")
	}
	err := <-g.pending.result
	g.pending = nil
	return g.degrade(err)
}

// run waits, and hands the locks over if a caller still wants them.
func (a *attempt) run(wait, release func() error) {
	err := wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wanted {
		a.over = true
		if err == nil {
			_ = release() // closing the files releases them too
		}
		return
	}
	a.result <- err
}

// giveUp notes that the caller no longer wants the locks, unless the result is there.
func (a *attempt) giveUp() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wanted = len(a.result) > 0
	return !a.wanted
}

// resume notes that a caller wants the locks again, unless they were released.
func (a *attempt) resume() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wanted = !a.over
	return a.wanted
}

// try takes both locks if both are free.
func (g *gate) try() (bool, error) {
	ok, err := filelock.Try(g.next)
	if !ok || err != nil {
		return false, err
	}
	ok, err = filelock.Try(g.write)
	return ok, errors.Join(err, filelock.Unlock(g.next))
}

// wait takes both locks, however long that takes.
func (g *gate) wait() error {
	if err := filelock.Wait(g.next); err != nil {
		return err
	}
	return errors.Join(filelock.Wait(g.write), filelock.Unlock(g.next))
}

// degrade opens the gate for good if the file system has no locks.
func (g *gate) degrade(err error) error {
	if cannotLock(err) {
		g.open = true
		return nil
	}
	return err
}

func (g *gate) unlock() error {
	if g.open {
		return nil
	}
	return filelock.Unlock(g.write)
}

func (g *gate) close() error { return errors.Join(g.next.Close(), g.write.Close()) }
