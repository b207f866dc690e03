package upload

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/fairqueue"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Options bound an inbox. The zero value has defaults.
type Options struct {
	Folder string        // for the files; empty: the system's folder for temporary files
	Most   int64         // bytes of a file; 0: 2 GiB
	Home   memory.DID    // the owner who waits for no other owner; empty: nobody
	Held   int           // files of an owner at once; 0: 3
	All    int           // files at once of all owners but Home; 0: 16
	AtOnce int           // files that are worked on at once, each of another owner, besides one of Home; 0: 3
	Idle   time.Duration // how long a file stays that nobody asks about; 0: an hour
	Now    func() time.Time
	Report func(error) // receives the cause of a failure that the owner is not told; nil: nobody
}

// Inbox keeps files while they are imported. It is safe for concurrent use.
type Inbox struct {
	vault   *vault.Vault
	options Options
	ctx     context.Context // of all work
	stop    context.CancelFunc
	working sync.WaitGroup
	own     *fairqueue.Queue // for files of the home owner
	others  *fairqueue.Queue // for those of all other owners

	mu      sync.Mutex
	files   []*file
	arrives []memory.DID // the owner of each file that arrives now
	undos   map[undoKey]*importUndo
}

// New returns an inbox without files. Close it.
func New(v *vault.Vault, o Options) *Inbox {
	o.Most, o.Held, o.Idle = cmp.Or(o.Most, maxFile), cmp.Or(o.Held, 3), cmp.Or(o.Idle, time.Hour)
	o.All, o.AtOnce = cmp.Or(o.All, 16), cmp.Or(o.AtOnce, 3)
	if o.Now == nil {
		o.Now = time.Now
	}
	b := &Inbox{vault: v, options: o, own: fairqueue.New(1, 1), others: fairqueue.New(o.AtOnce, 1), undos: map[undoKey]*importUndo{}}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Close stops all work, waits for its end and removes the files. What an archive has
// brought so far stays.
func (b *Inbox) Close() error {
	b.stop()
	b.working.Wait()
	b.mu.Lock()
	files := b.files
	b.files = nil
	b.mu.Unlock()
	var errs []error
	for _, f := range files {
		errs = append(errs, f.input.Close())
	}
	return errors.Join(errs...)
}

// find is peek for a caller who asks for this one file: it stays longer.
func (b *Inbox) find(ctx context.Context, c memory.Caller, id string) (*file, error) {
	f, err := b.peek(ctx, c, id)
	if err == nil {
		f.idle.Reset(b.options.Idle)
	}
	return f, err
}

// peek returns a file of an owner, or fails with kind NotFound. Once everything of the owner
// was erased, the inbox has no file from before.
func (b *Inbox) peek(ctx context.Context, c memory.Caller, id string) (*file, error) {
	b.mu.Lock()
	at := slices.IndexFunc(b.files, func(f *file) bool { return f.id == id && f.caller.Owner == c.Owner })
	var f *file
	if at >= 0 {
		f = b.files[at]
	}
	b.mu.Unlock()
	if f == nil {
		return nil, notHere()
	}
	now, err := b.vault.Erasures(ctx, c.Owner)
	if err != nil {
		return nil, err
	}
	if now != f.erasures {
		return nil, errors.Join(notHere(), b.drop(f))
	}
	return f, nil
}

func notHere() error {
	return &memory.Error{Kind: memory.NotFound, Op: "import", Message: "the file is gone: send it again"}
}

// drop stops the work on a file and removes it.
func (b *Inbox) drop(f *file) error {
	b.mu.Lock()
	b.files = slices.DeleteFunc(b.files, func(other *file) bool { return other == f })
	b.mu.Unlock()
	return f.free()
}

// Files returns the files of an owner, the newest first.
func (b *Inbox) Files(ctx context.Context, c memory.Caller) ([]File, error) {
	b.mu.Lock()
	all := slices.Clone(b.files)
	b.mu.Unlock()
	var out []File
	for _, f := range slices.Backward(all) {
		if f.caller.Owner != c.Owner {
			continue
		}
		one, err := b.peek(ctx, c, f.id)
		if memory.KindOf(err) == memory.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one.snapshot())
	}
	return out, nil
}

// File says what has become of a file.
func (b *Inbox) File(ctx context.Context, c memory.Caller, id string) (File, error) {
	f, err := b.find(ctx, c, id)
	if err != nil {
		return File{}, err
	}
	return f.snapshot(), nil
}

// Start imports a file that was read, or goes on with one that was stopped. It does
// nothing while it is imported, and after that.
func (b *Inbox) Start(ctx context.Context, c memory.Caller, id string) error {
	f, err := b.find(ctx, c, id)
	if err != nil {
		return err
	}
	f.resume()
	return nil
}

// Stop ends the work on a file, and returns when it has ended. What an archive has brought
// so far stays.
func (b *Inbox) Stop(ctx context.Context, c memory.Caller, id string) error {
	f, err := b.find(ctx, c, id)
	if err != nil {
		return err
	}
	f.halt()
	return nil
}

// Remove stops the work on a file and removes it.
func (b *Inbox) Remove(ctx context.Context, c memory.Caller, id string) error {
	f, err := b.find(ctx, c, id)
	if err != nil {
		return err
	}
	return b.drop(f)
}
