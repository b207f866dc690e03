package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Updates share commits: one goroutine, the committer, holds the only connection that
// writes. It takes the waiting Updates, runs each in a savepoint of one transaction,
// commits once, and then answers all of them. Each function runs on its caller's
// goroutine, so a function that panics or ends its goroutine harms only its own
// savepoint.

// A transaction takes no further Updates after this many or this long, so that other
// processes get their turn.
const (
	maxBatch = 64
	maxSpan  = 50 * time.Millisecond
)

// job is an Update in progress, or work for the committer between transactions.
type job struct {
	ctx   context.Context
	owner memory.DID
	work  func(*conn) error // not an Update: runs outside of transactions

	taken atomic.Bool  // by the committer, or by a caller that gave up
	turn  chan *writer // it may write now; more than once if a batch was lost
	ran   chan error   // what the function returned
	done  chan error   // the end: nil once it is on the disk
}

// errPanic stands for a function that did not return.
var errPanic = errors.New("the function ended without returning")

// Update runs fn in a transaction, see [store.Store].
func (s *Store) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) (err error) {
	ctx, call := s.meter.Transaction(ctx, measure.Update)
	defer func() { call.End(err) }()
	if s.opt.ReadOnly {
		return refusal("write", store.ErrReadOnly, "the store was opened for reading only")
	}
	if owner == "" {
		return refusal("write", nil, "every row needs an owner")
	}
	j := &job{ctx: ctx, owner: owner}
	if err := s.submit(j, s.jobs); err != nil {
		return err
	}
	giveUp := ctx.Done()
	for {
		select {
		case w := <-j.turn:
			j.run(w, fn)
		case err := <-j.done:
			return err
		case <-giveUp:
			if j.taken.CompareAndSwap(false, true) {
				return ctx.Err()
			}
			giveUp = nil // too late: its turn has come
		}
	}
}

// errand runs work on the connection that writes, outside of transactions and while
// no other process writes.
func (s *Store) errand(ctx context.Context, work func(*conn) error) error {
	if s.opt.ReadOnly {
		return refusal("write", store.ErrReadOnly, "the store was opened for reading only")
	}
	j := &job{ctx: ctx, work: work}
	if err := s.submit(j, s.errands); err != nil {
		return err
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
	}
	if j.taken.CompareAndSwap(false, true) {
		return ctx.Err() // its turn had not come
	}
	return <-j.done
}

// submit hands a job to the committer.
func (s *Store) submit(j *job, queue chan<- *job) error {
	if err := j.ctx.Err(); err != nil {
		return err // otherwise its turn may come before anybody looks
	}
	j.turn, j.ran, j.done = make(chan *writer, 1), make(chan error, 1), make(chan error, 1)
	select {
	case <-s.closing:
		return closed("write")
	default:
	}
	select {
	case queue <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	case <-s.closing:
		return closed("write")
	}
}

func (j *job) end(err error) { j.done <- err }

// run calls fn and reports how fn ended, even by a panic.
func (j *job) run(w *writer, fn func(store.Writer) error) {
	err := errPanic
	defer func() {
		if cause := recover(); cause != nil {
			err = &memory.Error{Kind: memory.Internal, Op: "write", Message: "a fault in satchel; please report it",
				Err: fmt.Errorf("%w: %v\n%s", errPanic, cause, debug.Stack())}
		}
		j.ran <- err
	}()
	err = fn(w)
}

// committer is the state of the goroutine that writes.
type committer struct {
	*Store
	c        *conn // nil: not opened yet, or given up
	seals    map[memory.DID]*stored.Sealer
	patience int64 // size of the log that was last found impossible to shorten
}

// commitAll serves jobs until the store is closed.
func (s *Store) commitAll() {
	defer close(s.done)
	k := &committer{Store: s, seals: make(map[memory.DID]*stored.Sealer)}
	defer k.drop()
	for {
		select {
		case j := <-s.jobs:
			k.serve(j, k.batch)
		case j := <-s.errands:
			k.serve(j, k.errand)
		case <-s.closing:
			return
		}
	}
}

// serve waits for this process's turn and then runs do.
func (k *committer) serve(j *job, do func(*job)) {
	if err := k.ready(); err != nil {
		j.end(err)
		k.refuse(err)
		return
	}
	do(j)
	k.tend()
	if err := k.gate.unlock(); err != nil {
		k.drop() // the next job finds the cause
	}
}

// refuse answers the waiting jobs with the error of the one before them, so that each
// of them need not wait as long again.
func (k *committer) refuse(err error) {
	for {
		select {
		case j := <-k.jobs:
			j.end(err)
		default:
			return
		}
	}
}

// ready waits for this process's turn and opens the connection.
func (k *committer) ready() error {
	_, call := k.meter.Statement(context.Background(), "lock")
	err := k.gate.lock(k.opt.BusyTimeout)
	call.End(err)
	if err != nil {
		return err
	}
	if err := k.connect(); err != nil {
		return errors.Join(err, k.gate.unlock())
	}
	return nil
}

// connect opens the connection if there is none.
func (k *committer) connect() (err error) {
	if k.c == nil {
		k.c, err = dialPatiently(context.Background(), k.writing, k.opt.BusyTimeout)
	}
	return err
}

// drop closes the connection; the next job opens another.
func (k *committer) drop() {
	if k.c != nil {
		_ = k.c.close() // no statement is running on it
		k.c = nil
	}
}

// tend shortens a log that has grown too long. SQLite copies the log into the store
// by itself, but starts the log over only when no reader uses it, which never happens
// under steady reading. So writes pause until the current readers are done; later
// readers read from the store. If a reader takes too long, tend gives up: the log may
// grow to twice its size before the next attempt.
func (k *committer) tend() {
	info, err := os.Stat(k.path + "-wal")
	if err != nil || k.c == nil || info.Size() < max(k.opt.maxLog, 2*k.patience) {
		return
	}
	k.patience = info.Size()
	if done, err := truncatePatiently(context.Background(), k.c, time.Second); done || err != nil {
		k.patience = 0 // an error shows in the next Update too
	}
}

// errand runs a job that is not an Update.
func (k *committer) errand(j *job) {
	if !j.taken.CompareAndSwap(false, true) {
		return
	}
	j.end(j.work(k.c))
}

// batch runs j and the waiting jobs in one transaction.
func (k *committer) batch(j *job) {
	start := time.Now()
	t := &transaction{committer: k}
	for j != nil {
		t.add(j)
		j = nil
		if len(t.held) < maxBatch && time.Since(start) < maxSpan {
			select {
			case j = <-k.jobs:
			default:
			}
		}
	}
	t.commit()
}
