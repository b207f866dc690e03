package aicffile

import (
	"cmp"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// Options says how files are treated. The zero Options is what is usual.
type Options struct {
	aicf.Options // how a file is read; with Force one that is not valid is changed all the same

	Wait  time.Duration    // for a lock that another holds; zero: 5 s
	Stale time.Duration    // a lock older than this is taken away; zero: 30 s
	Log   string           // a file to which each access is written; empty: none
	Now   func() time.Time // nil: time.Now
}

// ErrLocked is wrapped by the error for a file that another program went on changing for
// as long as there was patience. The file was not touched.
var ErrLocked = errors.New("lock timeout")

// ErrInvalid is wrapped by the error for a file that is not changed because it is not
// valid (AICF-SAFE-3).
var ErrInvalid = errors.New("the file is not valid")

// ErrReplaced is wrapped by the error for a file in whose place another was put while it
// was appended to, by a program that knows nothing of locks. That one has nothing new.
var ErrReplaced = errors.New("another file was put in its place meanwhile; try again")

func (o Options) wait() time.Duration  { return cmp.Or(o.Wait, 5*time.Second) }
func (o Options) stale() time.Duration { return cmp.Or(o.Stale, 30*time.Second) }

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}
