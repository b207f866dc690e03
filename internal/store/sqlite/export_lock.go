package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Every output that carries an owner's data is written under a lock. Writers of all
// processes share it, and an eraser waits to hold it alone. It is a lock on a file of
// the owner, NAME.out-OWNER, where OWNER are 16 hexadecimal digits of the SHA-256 of
// the DID. The file's first 8 bytes are a mark that every erasure changes. While the
// mark stays the same, the number of erasures need not be read from the database,
// except now and then, in case an eraser died before it could change the mark. The
// next 8 bytes are the microsecond, since 1970, until which an eraser asks new
// writers to wait, so that writes cannot overlap without end; 0: no eraser asks.
//
// The number of erasures is owners.began: an erasure counts as a change, so that the
// number rises with each. If files cannot be locked, an eraser does not wait for
// running writes, but no new write of erased content begins.

const (
	trustMark  = time.Second // how long a number holds while the mark stays
	askToWait  = 200 * time.Millisecond
	idleFiles  = 64 // how many unused files stay open
	markLength = 16 // digits of the owner in a file's name
)

// exportLocks holds the files of all owners.
type exportLocks struct {
	path string
	dial func(context.Context) (*conn, error)

	mu    sync.Mutex
	over  bool
	idle  map[memory.DID][]*os.File
	count int // the number of unused files
	known map[memory.DID]counted

	asking sync.Mutex // held while c is used
	c      *conn      // nil: not open yet. Views may have taken all other connections, and wait for an answer from this one
}

// counted is the last reading of an owner's erasures.
type counted struct {
	mark   uint64
	number int64
	at     time.Time
}

// exportLock is an owner's file in use by one goroutine. Each use has an open file of its
// own, since a lock belongs to the file handle that took it.
type exportLock struct {
	owner memory.DID
	f     *os.File // nil: it does not exist and cannot be made
}

func newExportLocks(path string, dial func(context.Context) (*conn, error)) *exportLocks {
	return &exportLocks{path: path, dial: dial, idle: map[memory.DID][]*os.File{}, known: map[memory.DID]counted{}}
}

// Erasures returns the owner's number of erasures, see [store.Gatekeeper].
func (s *Store) Erasures(ctx context.Context, owner memory.DID) (int64, error) {
	o, err := s.exportLocks.take(owner)
	if err != nil {
		return 0, err
	}
	defer s.exportLocks.back(o)
	return s.exportLocks.erasures(ctx, o)
}

// Emit calls write while no erasure runs, see [store.Gatekeeper].
func (s *Store) Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error {
	o, err := s.exportLocks.take(owner)
	if err != nil {
		return err
	}
	defer s.exportLocks.back(o)
	if err := o.wait(ctx); err != nil {
		return err
	}
	if err := o.share(); err != nil {
		return translate("write out", err)
	}
	defer o.release()
	now, err := s.exportLocks.erasures(ctx, o)
	if err != nil {
		return err
	}
	if now != erasures {
		return store.ErrErased
	}
	return write()
}

// Silence waits for running writes, see [store.Gatekeeper].
func (s *Store) Silence(ctx context.Context, owner memory.DID) error {
	o, err := s.exportLocks.take(owner)
	if err != nil || o.f == nil {
		return err
	}
	defer s.exportLocks.back(o)
	if err := setNumber(o.f, rand.Uint64()|1); err != nil {
		return gateError(err)
	}
	for pause := time.Millisecond; ctx.Err() == nil; pause = min(2*pause, longestGlance) {
		if done, err := o.tryAlone(); done || err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// tryAlone reports whether there are no writes. If there are, it asks new writers to
// wait.
func (o *exportLock) tryAlone() (bool, error) {
	alone, err := filelock.Try(o.f)
	switch {
	case cannotLock(err):
		return true, nil
	case err != nil:
		return false, translate("erase", err)
	case alone:
		return true, errors.Join(o.askUntil(time.UnixMicro(0)), translate("erase", filelock.Unlock(o.f)))
	}
	return false, o.askUntil(time.Now().Add(askToWait))
}

func (o *exportLock) askUntil(t time.Time) error {
	_, err := o.f.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(t.UnixMicro())), numberSize)
	if err != nil {
		return gateError(err)
	}
	return nil
}

// wait lets an eraser that asks for it go first.
func (o *exportLock) wait(ctx context.Context) error {
	for o.f != nil {
		until := time.UnixMicro(int64(numberIn(o.f, numberSize)))
		if left := time.Until(until); left <= 0 || left > askToWait { // the clock may have been changed
			break
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// share takes the lock that an eraser waits for.
func (o *exportLock) share() error {
	if o.f == nil {
		return nil
	}
	if err := filelock.Share(o.f); !cannotLock(err) {
		return err
	}
	return nil
}

func (o *exportLock) release() {
	if o.f != nil {
		_ = filelock.Unlock(o.f) // closing the file releases it too
	}
}

// mark returns the file's mark, and whether the mark can be relied on.
func (o *exportLock) mark() (uint64, bool) {
	if o.f == nil {
		return 0, false
	}
	return numberIn(o.f, 0), true
}

// take returns an open file of the owner that no other goroutine uses.
func (a *exportLocks) take(owner memory.DID) (*exportLock, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return nil, closed("write out")
	}
	if files := a.idle[owner]; len(files) > 0 {
		a.idle[owner] = files[:len(files)-1]
		a.count--
		return &exportLock{owner, files[len(files)-1]}, nil
	}
	f, err := os.OpenFile(a.file(owner), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(gateError(err), store.ErrReadOnly) {
		if f, err = os.Open(a.file(owner)); errors.Is(err, os.ErrNotExist) {
			return &exportLock{owner, nil}, nil
		}
	}
	if err != nil {
		return nil, gateError(err)
	}
	return &exportLock{owner, f}, nil
}

func (a *exportLocks) file(owner memory.DID) string {
	digest := sha256.Sum256([]byte(owner))
	return a.path + ".out-" + hex.EncodeToString(digest[:])[:markLength]
}

// back keeps a file for its next use.
func (a *exportLocks) back(o *exportLock) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case o.f == nil:
	case a.over || a.count >= idleFiles:
		_ = o.f.Close() // nothing is left to write
	default:
		a.idle[o.owner] = append(a.idle[o.owner], o.f)
		a.count++
	}
}

// erasures returns the number of an owner's erasures: the last reading, while it can
// be relied on.
func (a *exportLocks) erasures(ctx context.Context, o *exportLock) (int64, error) {
	mark, marked := o.mark()
	a.mu.Lock()
	k, ok := a.known[o.owner]
	a.mu.Unlock()
	if ok && marked && k.mark == mark && time.Since(k.at) < trustMark {
		return k.number, nil
	}
	k = counted{mark: mark, at: time.Now()}
	var err error
	if k.number, err = a.ask(ctx, o.owner); err != nil {
		return 0, translate("read", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if last, ok := a.known[o.owner]; !ok || last.at.Before(k.at) {
		a.known[o.owner] = k
	}
	return k.number, nil
}

// ask reads the number from the database.
func (a *exportLocks) ask(ctx context.Context, owner memory.DID) (number int64, err error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.c == nil {
		if a.c, err = a.dial(ctx); err != nil {
			return 0, err
		}
	}
	err = a.c.first(`SELECT began FROM owners WHERE did = ?`, []any{string(owner)}, &number)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		_ = a.c.close() // it only reads
		a.c = nil
	}
	return number, err
}

// end closes all files and the connection. Files in use close when they come back.
func (a *exportLocks) end() (err error) {
	a.mu.Lock()
	a.over = true
	for _, files := range a.idle {
		for _, f := range files {
			err = errors.Join(err, f.Close())
		}
	}
	clear(a.idle)
	a.mu.Unlock()
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.c != nil {
		err = errors.Join(err, a.c.close())
		a.c = nil
	}
	return err
}
