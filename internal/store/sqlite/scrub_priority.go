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

// Deleted content leaves the log in a moment in which no transaction reads an older
// state. If the reads of several processes overlap without end, that moment never
// comes. So an eraser that has waited in vain announces itself. New readers, in any
// process, then wait until the eraser has had its turn. Running reads go on for as
// long as they take.
//
// An announcement is a number other than zero in the first 8 bytes of NAME.erase,
// little-endian, and a lock on that file. The lock tells a running eraser from one
// that died. A reader reads 8 bytes to see that there is no announcement, and waits
// only once for the same one.

// An announcement holds for announceSpan at most. The next one, of any process, comes
// announceRest after it or later. A reader waits a little longer than the span, in
// case the eraser is stopped in the middle.
const (
	announceSpan  = 2 * time.Second
	announceRest  = 10 * time.Second
	readersWait   = announceSpan + announceSpan/4
	numberSize    = 8
	longestGlance = 20 * time.Millisecond
	lookAgain     = time.Millisecond // after a look that found no announcement
)

// eraserSignal is how a store sees erasers.
type eraserSignal struct {
	path    string
	f       *os.File // nil: the file does not exist, and nobody could write it
	opened  time.Time
	looked  atomic.Int64  // time of the last look that found none, since opened
	yielded atomic.Uint64 // the announcement that a reader waited for in vain
	mu      sync.Mutex    // one goroutine at a time asks whether an eraser is alive
}

// openEraserSignal opens the file beside the store. It makes the file unless the store is
// read-only.
func openEraserSignal(path string, readOnly bool) (*eraserSignal, error) {
	flag := os.O_RDWR | os.O_CREATE
	if readOnly {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path+".erase", flag, 0o600)
	if err != nil && !readOnly {
		return nil, gateError(err)
	}
	y := &eraserSignal{path: path + ".erase", f: f, opened: time.Now()}
	y.looked.Store(-int64(lookAgain))
	return y, nil // read-only: an unreadable file announces nothing
}

func (y *eraserSignal) close() error {
	if y.f == nil {
		return nil
	}
	return y.f.Close()
}

// announced returns the number of the current announcement, or 0.
func (y *eraserSignal) announced() uint64 {
	if y.f == nil {
		return 0
	}
	return numberIn(y.f, 0)
}

// numberIn returns the number at an offset of a file; 0: there is none yet.
func numberIn(f *os.File, at int64) uint64 {
	number := make([]byte, numberSize)
	if _, err := f.ReadAt(number, at); err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(number)
}

// give waits until an announced eraser has had its turn.
func (y *eraserSignal) give(ctx context.Context) error {
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

// abandoned reports whether the eraser with this announcement has died. If so, it
// withdraws the announcement.
func (y *eraserSignal) abandoned(number uint64) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	if locked, err := filelock.Try(y.f); err != nil || !locked {
		return false
	}
	if y.announced() == number {
		_ = setNumber(y.f, 0) // a read-only file keeps it; the caller then remembers the number
	}
	_ = filelock.Unlock(y.f) // closing the file releases it too
	return true
}

// announce makes an announcement, unless another is current or recent. It opens a
// file of its own: a lock belongs to the file handle that took it.
func (y *eraserSignal) announce() (withdraw func() error, made bool, err error) {
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

// claim locks the file, unless another eraser holds it or the last announcement is
// too recent.
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
