package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// Content that was deleted leaves the log in a moment in which nobody reads an
// older state. Where the reads of several processes overlap without end, that
// moment never comes. So an eraser that has waited in vain announces itself, and
// whoever begins to read meanwhile, in whatever process, waits until it has had
// its turn. Reads under way go on for as long as they take: nobody is cut off.
//
// An announcement is a number other than zero in the first 8 bytes of NAME.erase,
// little-endian, and a lock on that file, by which an eraser at work can be told
// from one that died. It costs a reader 8 bytes to see that there is none, and
// nobody waits twice for the same one.

// An announcement stands for announceSpan at most, and the next one, of any
// process, comes no sooner than announceRest after it. A reader waits a little
// longer than the span, in case an eraser is stopped in the middle.
const (
	announceSpan  = 2 * time.Second
	announceRest  = 10 * time.Second
	readersWait   = announceSpan + announceSpan/4
	numberSize    = 8
	longestGlance = 20 * time.Millisecond
	lookAgain     = time.Millisecond // when nothing was announced
)

// way is what a store knows of erasers.
type way struct {
	path    string
	f       *os.File // nil: there is no such file, and nobody who could write it
	opened  time.Time
	looked  atomic.Int64  // when nothing was announced last, counted from opened
	yielded atomic.Uint64 // the announcement that was waited for in vain
	mu      sync.Mutex    // one at a time asks whether an eraser is alive
}

// openWay opens the file beside the store, and makes it unless the store is only
// read.
func openWay(path string, readOnly bool) (*way, error) {
	flag := os.O_RDWR | os.O_CREATE
	if readOnly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path+".erase", flag, 0o600)
	if err != nil && !readOnly {
		return nil, gateError(err)
	}
	y := &way{path: path + ".erase", f: f, opened: time.Now()}
	y.looked.Store(-int64(lookAgain))
	return y, nil // read-only: what cannot be read announces nothing
}

func (y *way) close() error {
	if y.f == nil {
		return nil
	}
	return y.f.Close()
}

// announced returns the number of the announcement that stands, or 0.
func (y *way) announced() uint64 {
	if y.f == nil {
		return 0
	}
	return numberIn(y.f, 0)
}

// numberIn returns the number at a place in a file, 0: there is none yet.
func numberIn(f *os.File, at int64) uint64 {
	number := make([]byte, numberSize)
	if _, err := f.ReadAt(number, at); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(number)
}

// give lets an eraser that has announced itself go first.
func (y *way) give(ctx context.Context) error {
	now := int64(time.Since(y.opened))
	if now-y.looked.Load() < int64(lookAgain) {
		return nil
	}
	number := y.announced()
	if number == 0 {
		y.looked.Store(now)
	}
	if number == 0 || number == y.yielded.Load() {
		return nil
	}
	start := time.Now()
	for pause := time.Millisecond; y.announced() == number; pause = min(2*pause, longestGlance) {
		if time.Since(start) > readersWait || y.abandoned(number) {
			y.yielded.Store(number)
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// abandoned reports whether the eraser that announced itself by a number has
// died, and withdraws for it.
func (y *way) abandoned(number uint64) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if locked, err := filelock.Try(y.f); err != nil || !locked {
		return false
	}
	if y.announced() == number {
		_ = setNumber(y.f, 0) // what is only read stays; then the number is remembered
	}
	_ = filelock.Unlock(y.f) // closing the file releases it too
	return true
}

// announce makes an announcement, unless another stands or has just stood. It
// has a file of its own: a lock belongs to the file by which it was taken.
func (y *way) announce() (withdraw func() error, made bool, err error) {
	f, err := os.OpenFile(y.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, gateError(err)
	}
	if free, err := claim(f); err != nil || !free {
		return nil, false, errors.Join(err, f.Close())
	}
	if err := setNumber(f, rand.Uint64()|1); err != nil {
		return nil, false, errors.Join(gateError(err), f.Close())
	}
	return func() error { return errors.Join(setNumber(f, 0), f.Close()) }, true, nil
}

// claim locks the file, unless somebody has it or the last announcement is too
// young.
func claim(f *os.File) (bool, error) {
	locked, err := filelock.Try(f)
	if cannotLock(err) {
		return false, nil
	}
	if err != nil || !locked {
		return false, err
	}
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	age := time.Since(info.ModTime())
	return info.Size() == 0 || age < 0 || age > announceRest, nil
}

func setNumber(f *os.File, number uint64) error {
	_, err := f.WriteAt(binary.LittleEndian.AppendUint64(nil, number), 0)
	return err
}
