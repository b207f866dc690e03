package upload

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/memory"
)

// maxFile is the most bytes of a file.
const maxFile = 2 << 30

// Receive keeps a file of the caller and begins to read it. It returns the name by which
// the inbox knows the file. It fails with kind InvalidRecord for a file that is no document
// or too large, and if the owner has too many files here.
func (b *Inbox) Receive(ctx context.Context, c memory.Caller, name string, in io.Reader) (string, error) {
	if err := b.reserve(c.Owner); err != nil {
		return "", err
	}
	defer b.arrived(c.Owner)
	erasures, err := b.vault.Erasures(ctx, c.Owner)
	if err != nil {
		return "", err
	}
	whole := &limitedReader{in: in, left: b.options.Most}
	input, err := source.Open(source.Stdin, source.Options{Stdin: whole, Name: plainName(name), Temp: b.options.Folder, Known: isKnown})
	switch {
	case whole.over:
		return "", tooLarge(b.options.Most)
	case whole.err != nil:
		return "", &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the file did not arrive whole; send it again", Err: whole.err}
	case err != nil:
		return "", openError(err)
	}
	f := &file{inbox: b, caller: c, erasures: erasures, input: input, id: strings.ToLower(rand.Text()), size: b.options.Most - whole.left}
	if whole.total == 0 {
		return "", errors.Join(&memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "the file is empty, or none was chosen"}, input.Close())
	}
	f.idle = time.AfterFunc(b.options.Idle, f.expire)
	f.begin(Reading, f.look) // before others see it, to whom it would look idle
	b.mu.Lock()
	b.files = append(b.files, f)
	b.mu.Unlock()
	return f.id, nil
}

// reserve keeps a place for a file that begins to arrive, or fails if an owner has too many
// files. Files that are done make room.
func (b *Inbox) reserve(owner memory.DID) error {
	b.mu.Lock()
	held, gone := b.makeRoom(owner)
	err := b.full(owner, held)
	if err == nil {
		b.arrives = append(b.arrives, owner)
	}
	b.mu.Unlock()
	for _, f := range gone {
		_ = f.free() // it is gone from the list; its file has no name
	}
	return err
}

// arrived gives the place of a file back, which is in the inbox now or did not come.
func (b *Inbox) arrived(owner memory.DID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := slices.Index(b.arrives, owner); at >= 0 {
		b.arrives = slices.Delete(b.arrives, at, at+1)
	}
}

// makeRoom counts the files of an owner, those that arrive included, and takes from the inbox what
// others need the places of: the owner's own files that are done, where the owner has as many
// as one may have, and where the inbox is full, one file as replaceable says. The caller holds
// mu.
func (b *Inbox) makeRoom(owner memory.DID) (held int, gone []*file) {
	by := b.heldBy()
	take := func(f *file) {
		b.files = slices.DeleteFunc(b.files, func(other *file) bool { return other == f })
		by[f.caller.Owner]--
		gone = append(gone, f)
	}
	for _, f := range slices.Clone(b.files) {
		if by[owner] >= b.options.Held && f.caller.Owner == owner && f.isOver() {
			take(f)
		}
	}
	if b.isFull(owner) {
		if f := b.replaceable(owner, by); f != nil {
			take(f)
		}
	}
	return by[owner], gone
}

// heldBy counts the files of each owner, those that arrive included.
func (b *Inbox) heldBy() map[memory.DID]int {
	by := map[memory.DID]int{}
	for _, owner := range b.arrives {
		by[owner]++
	}
	for _, f := range b.files {
		by[f.caller.Owner]++
	}
	return by
}

// isFull reports whether the inbox has no place for another file of an owner. The home owner's
// files need none.
func (b *Inbox) isFull(owner memory.DID) bool {
	by := b.heldBy()
	delete(by, b.options.Home)
	all := 0
	for _, n := range by {
		all += n
	}
	return owner != b.options.Home && all >= b.options.All
}

// replaceable returns the file that goes first for one of an owner: the oldest that is done,
// else the oldest undecided one of an owner who has most, and more than this one. nil: none.
func (b *Inbox) replaceable(owner memory.DID, by map[memory.DID]int) (first *file) {
	for _, f := range b.files {
		switch {
		case f.caller.Owner == b.options.Home:
		case f.isOver():
			return f
		case f.isIdle() && by[f.caller.Owner] > by[owner] && (first == nil || by[f.caller.Owner] > by[first.caller.Owner]):
			first = f
		}
	}
	return first
}

// full refuses one file more of an owner who has so many. The caller holds mu.
func (b *Inbox) full(owner memory.DID, held int) error {
	if b.isFull(owner) {
		return &memory.Error{Kind: memory.RateLimited, Op: "import", Message: "this server keeps many files already; try again later"}
	}
	if held >= b.options.Held {
		return &memory.Error{Kind: memory.InvalidRecord, Op: "import", Message: "files that you sent before still wait here; import them or remove one first"}
	}
	return nil
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

// limitedReader reads at most so many bytes, and notes whether there were more.
type limitedReader struct {
	in    io.Reader
	left  int64
	total int64
	over  bool
	err   error // of the sender
}

// Read reads a piece.
func (b *limitedReader) Read(p []byte) (int, error) {
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
