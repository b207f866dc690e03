package upload

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// State says how far a file has come.
type State string

// The states of a file.
const (
	Reading   State = "reading"   // to say what the import would do
	Read      State = "read"      // that is known, and the owner has to decide
	Importing State = "importing" // in the background
	Stopped   State = "stopped"   // by the owner, or because the server stopped
	Imported  State = "imported"
	Failed    State = "failed"
)

// File is what has become of a file. Reports of a dry run and of the import have the same
// form.
type File struct {
	ID      string
	Name    string
	Size    int64
	Format  string // title of its format; empty: not known yet
	State   State
	Digest  string // by which its import is known; empty: not known yet
	Done    int64  // bytes that are read of Total
	Total   int64  // 0: not known
	Records int    // that are read
	Masked  int    // places at which secrets were masked
	Report  vault.ImportReport
	Err     error // why it failed
}

// file is a file in the inbox.
type file struct {
	inbox    *Inbox
	caller   memory.Caller
	erasures int64 // of the owner, when the file came
	input    *source.Input
	id       string
	size     int64
	idle     *time.Timer
	release  sync.Once
	freed    error

	mu      sync.Mutex
	state   State
	format  codec.Format
	digest  string
	far     func() (done, total int64) // nil: unknown
	records int
	masked  int
	report  vault.ImportReport
	err     error
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the work has ended
}

// snapshot says what has become of the file.
func (f *file) snapshot() File {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := File{ID: f.id, Name: f.input.Name, Size: f.size, Format: f.format.Title, State: f.state, Digest: f.digest,
		Records: f.records, Masked: f.masked, Report: f.report, Err: f.err}
	if f.far != nil {
		out.Done, out.Total = f.far()
	}
	return out
}

// isOver reports whether there is nothing left to do with the file.
func (f *file) isOver() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state == Imported || f.state == Failed
}

// isIdle reports whether nothing is done with the file.
func (f *file) isIdle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.working()
}

// begin does work on the file in the background.
func (f *file) begin(s State, work func(context.Context) (State, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.working() {
		return
	}
	ctx, cancel := context.WithCancel(f.inbox.ctx)
	f.state, f.cancel, f.err, f.records, f.far = s, cancel, nil, 0, nil
	ended := make(chan struct{})
	f.ended = ended
	f.inbox.working.Go(func() {
		defer close(ended)
		defer cancel()
		f.finish(f.inTurn(ctx, work))
	})
}

// inTurn waits for the owner's turn: for the owner's other files, and not for those of
// another owner alone.
func (f *file) inTurn(ctx context.Context, work func(context.Context) (State, error)) (State, error) {
	turns := f.inbox.others
	if f.caller.Owner == f.inbox.options.Home {
		turns = f.inbox.own
	}
	leave, ok := turns.Wait(ctx, f.caller.Owner, nil)
	if !ok {
		return Stopped, nil
	}
	defer leave()
	next, err := work(ctx)
	if ctx.Err() != nil {
		return Stopped, nil
	}
	return next, err
}

// finish notes how the work ended.
func (f *file) finish(next State, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state, f.err, f.far = next, err, nil
	if err == nil {
		return
	}
	f.state = Failed
	if report := f.inbox.options.Report; report != nil && memory.KindOf(err) == memory.Internal {
		report(err)
	}
}

// working reports whether work is under way.
func (f *file) working() bool { return f.state == Reading || f.state == Importing }

// resume imports the file, if it waits for that. One that was stopped while it was read is
// read again.
func (f *file) resume() {
	f.mu.Lock()
	state, known := f.state, f.digest != ""
	f.mu.Unlock()
	switch {
	case state == Stopped && !known:
		f.begin(Reading, f.look)
	case state == Stopped || state == Read || state == Failed && known:
		f.begin(Importing, f.take)
	}
}

// halt stops the work and waits for its end.
func (f *file) halt() {
	f.mu.Lock()
	cancel, ended := f.cancel, f.ended
	f.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}

// free stops the work and removes the file.
func (f *file) free() error {
	f.release.Do(func() {
		f.idle.Stop()
		f.halt()
		f.freed = f.input.Close()
	})
	return f.freed
}

// expire removes a file that nobody asks about. One that is worked on stays.
func (f *file) expire() {
	f.mu.Lock()
	busy := f.working()
	f.mu.Unlock()
	if busy {
		f.idle.Reset(f.inbox.options.Idle)
		return
	}
	_ = f.inbox.drop(f) // the file is closed; nobody is left to hear an error
}

// tooLarge refuses a file.
func tooLarge(most int64) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the file has more than " + strconv.FormatInt(most>>20, 10) +
		" MiB, which is the most that a browser may send; satchel import takes larger ones"}
}

// openError says why a file cannot be opened. A damaged archive says so itself.
func openError(err error) error {
	if memory.KindOf(err) != memory.Internal {
		return err
	}
	if _, ok := errors.AsType[*codec.ParseError](err); ok {
		return err
	}
	return &memory.Error{Kind: memory.Internal, Op: "import", Message: "the file cannot be kept here; the log of the server says why", Err: err}
}
