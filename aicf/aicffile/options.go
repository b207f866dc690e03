package aicffile

import (
	"cmp"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// Options says how to treat files. The zero Options is the usual case.
type Options struct {
	aicf.Options // how to read a file; with Force, change even an invalid file

	Wait  time.Duration    // for a lock of another holder; zero: 5 s
	Stale time.Duration    // age at which a lock is taken away; zero: 30 s
	Log   string           // a file that receives each access; empty: none
	Now   func() time.Time // nil: time.Now
}

// ErrLocked is wrapped by the error for a file that another program kept locked for
// the whole wait. The file was not touched.
var ErrLocked = errors.New("lock timeout")

// ErrInvalid is wrapped by the error for an invalid file, which is not changed
// (AICF-SAFE-3).
var ErrInvalid = errors.New("the file is not valid")

// ErrReplaced is wrapped by the error for a file that a program without our locks
// replaced during an append. The new file lacks the appended entries.
var ErrReplaced = errors.New("another file was put in its place meanwhile; try again")

func (o Options) wait() time.Duration  { return cmp.Or(o.Wait, 5*time.Second) }
func (o Options) stale() time.Duration { return cmp.Or(o.Stale, 30*time.Second) }

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}
