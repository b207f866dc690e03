package upload

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// maxFile is the most bytes of a file.
const maxFile = 2 << 30

// Options bound a desk. The zero value has defaults.
type Options struct {
	Folder string        // for the files; empty: the system's folder for temporary files
	Most   int64         // bytes of a file; 0: 2 GiB
	Home   memory.DID    // the owner who waits for no other owner; empty: nobody
	Held   int           // files of an owner at once; 0: 3
	All    int           // files of all owners at once; 0: 16
	Idle   time.Duration // how long a file stays that nobody asks about; 0: an hour
	Now    func() time.Time
	Report func(error) // receives the cause of a failure that the owner is not told; nil: nobody
}

// Desk keeps files while they are imported. It is safe for concurrent use.
type Desk struct {
	vault   *vault.Vault
	options Options
	ctx     context.Context // of all work
	stop    context.CancelFunc
	working sync.WaitGroup
	turn    chan struct{} // holds a value while a file of the home owner is read or imported
	turns   chan struct{} // the same for all other owners

	mu      sync.Mutex
	files   []*file
	arrives []memory.DID // the owner of each file that arrives now
	undos   map[undoKey]*importUndo
}

// New returns a desk without files. Close it.
func New(v *vault.Vault, o Options) *Desk {
	o.Most, o.Held, o.Idle = cmp.Or(o.Most, maxFile), cmp.Or(o.Held, 3), cmp.Or(o.Idle, time.Hour)
	o.All = cmp.Or(o.All, 16)
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Desk{vault: v, options: o, turn: make(chan struct{}, 1), turns: make(chan struct{}, 1), undos: map[undoKey]*importUndo{}}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// Close stops all work, waits for its end and removes the files. What an archive has
// brought so far stays.
func (d *Desk) Close() error {
	d.stop()
	d.working.Wait()
	d.mu.Lock()
	files := d.files
	d.files = nil
	d.mu.Unlock()
	var errs []error
	for _, f := range files {
		errs = append(errs, f.input.Close())
	}
	return errors.Join(errs...)
}

// Receive keeps a file of the caller and begins to read it. It returns the name by which
// the desk knows the file. It fails with kind InvalidRecord for a file that is no document
// or too large, and if the owner has too many files here.
func (d *Desk) Receive(ctx context.Context, c memory.Caller, name string, in io.Reader) (string, error) {
	if err := d.reserve(c.Owner); err != nil {
		return "", err
	}
	defer d.arrived(c.Owner)
	erasures, err := d.vault.Erasures(ctx, c.Owner)
	if err != nil {
		return "", err
	}
	whole := &bounded{in: in, left: d.options.Most}
	input, err := source.Open(source.Stdin, source.Options{Stdin: whole, Name: plainName(name), Temp: d.options.Folder, Known: isKnown})
	switch {
	case whole.over:
		return "", tooLarge(d.options.Most)
	case whole.err != nil:
		return "", &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the file did not arrive whole; send it again", Err: whole.err}
	case err != nil:
		return "", openError(err)
	}
	f := &file{desk: d, caller: c, erasures: erasures, input: input, id: strings.ToLower(rand.Text()), size: d.options.Most - whole.left}
	if whole.total == 0 {
		return "", errors.Join(&memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the file is empty, or none was chosen"}, input.Close())
	}
	f.idle = time.AfterFunc(d.options.Idle, f.expire)
	d.mu.Lock()
	d.files = append(d.files, f)
	d.mu.Unlock()
	f.begin(Reading, f.look)
	return f.id, nil
}

// reserve keeps a place for a file that begins to arrive, or fails if an owner has too many
// files. Files that are done make room.
func (d *Desk) reserve(owner memory.DID) error {
	d.mu.Lock()
	held, gone := d.room(owner)
	err := d.full(owner, held)
	if err == nil {
		d.arrives = append(d.arrives, owner)
	}
	d.mu.Unlock()
	for _, f := range gone {
		_ = f.free() // it is gone from the list; its file has no name
	}
	return err
}

// arrived gives the place of a file back, which is on the desk now or did not come.
func (d *Desk) arrived(owner memory.DID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at := slices.Index(d.arrives, owner); at >= 0 {
		d.arrives = slices.Delete(d.arrives, at, at+1)
	}
}

// room counts the files of an owner, those that arrive included, and takes those from the
// desk that are done, as far as others need their places. The caller holds mu.
func (d *Desk) room(owner memory.DID) (held int, gone []*file) {
	for _, other := range d.arrives {
		if other == owner {
			held++
		}
	}
	for _, f := range d.files {
		if f.caller.Owner == owner {
			held++
		}
	}
	d.files = slices.DeleteFunc(d.files, func(f *file) bool {
		done := held >= d.options.Held && f.caller.Owner == owner && f.over()
		if done {
			held--
			gone = append(gone, f)
		}
		return done
	})
	return held, gone
}

// full refuses one file more of an owner who has so many. The caller holds mu.
func (d *Desk) full(owner memory.DID, held int) error {
	if len(d.files)+len(d.arrives) >= d.options.All && owner != d.options.Home {
		return &memory.Error{Kind: memory.RateLimited, Op: "import", Message: "this server keeps many files already; try again later"}
	}
	if held >= d.options.Held {
		return &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "files that you sent before still wait here; import them or remove one first"}
	}
	return nil
}

// find returns a file of an owner, or fails with kind NotFound. Once everything of the
// owner was erased, the desk has no file from before.
func (d *Desk) find(ctx context.Context, c memory.Caller, id string) (*file, error) {
	d.mu.Lock()
	at := slices.IndexFunc(d.files, func(f *file) bool { return f.id == id && f.caller.Owner == c.Owner })
	var f *file
	if at >= 0 {
		f = d.files[at]
	}
	d.mu.Unlock()
	if f == nil {
		return nil, notHere()
	}
	now, err := d.vault.Erasures(ctx, c.Owner)
	if err != nil {
		return nil, err
	}
	if now != f.erasures {
		return nil, errors.Join(notHere(), d.drop(f))
	}
	f.idle.Reset(d.options.Idle)
	return f, nil
}

func notHere() error {
	return &memory.Error{Kind: memory.NotFound, Op: "import", Message: "the file is gone: send it again"}
}

// drop stops the work on a file and removes it.
func (d *Desk) drop(f *file) error {
	d.mu.Lock()
	d.files = slices.DeleteFunc(d.files, func(other *file) bool { return other == f })
	d.mu.Unlock()
	return f.free()
}

// Files returns the files of an owner, the newest first.
func (d *Desk) Files(ctx context.Context, c memory.Caller) ([]File, error) {
	d.mu.Lock()
	all := slices.Clone(d.files)
	d.mu.Unlock()
	var out []File
	for _, f := range slices.Backward(all) {
		if f.caller.Owner != c.Owner {
			continue
		}
		one, err := d.File(ctx, c, f.id)
		if memory.KindOf(err) == memory.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// File says what has become of a file.
func (d *Desk) File(ctx context.Context, c memory.Caller, id string) (File, error) {
	f, err := d.find(ctx, c, id)
	if err != nil {
		return File{}, err
	}
	return f.snapshot(), nil
}

// Start imports a file that was read, or goes on with one that was stopped. It does
// nothing while it is imported, and after that.
func (d *Desk) Start(ctx context.Context, c memory.Caller, id string) error {
	f, err := d.find(ctx, c, id)
	if err != nil {
		return err
	}
	f.resume()
	return nil
}

// Stop ends the work on a file, and returns when it has ended. What an archive has brought
// so far stays.
func (d *Desk) Stop(ctx context.Context, c memory.Caller, id string) error {
	f, err := d.find(ctx, c, id)
	if err != nil {
		return err
	}
	f.halt()
	return nil
}

// Remove stops the work on a file and removes it.
func (d *Desk) Remove(ctx context.Context, c memory.Caller, id string) error {
	f, err := d.find(ctx, c, id)
	if err != nil {
		return err
	}
	return d.drop(f)
}

// isKnown reports whether a format reads a source as it is.
func isKnown(src codec.Source) bool {
	_, err := formats.Detect(src)
	return err == nil
}

// plainName returns the last part of a name that a browser sent.
func plainName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return -1
		}
		return c
	}, name)
	if len(name) > 200 {
		name = strings.ToValidUTF8(name[len(name)-200:], "")
	}
	if name == "" || name == "." || name == "/" {
		return "uploaded file"
	}
	return name
}

// bounded reads at most so many bytes, and notes whether there were more.
type bounded struct {
	in    io.Reader
	left  int64
	total int64
	over  bool
	err   error // of the sender
}

// Read reads a piece.
func (b *bounded) Read(p []byte) (int, error) {
	if b.over {
		return 0, source.ErrTooLarge
	}
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.over = true
		return 0, source.ErrTooLarge
	}
	b.total += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}
