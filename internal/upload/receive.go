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
	whole := &limitedReader{in: in, left: d.options.Most}
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
	f.begin(Reading, f.look) // before others see it, to whom it would look idle
	d.mu.Lock()
	d.files = append(d.files, f)
	d.mu.Unlock()
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

// room counts the files of an owner, those that arrive included, and takes from the desk what
// others need the places of: the owner's own files that are done, where the owner has as many
// as one may have, and where the desk is full, one file as replaceable says. The caller holds
// mu.
func (d *Desk) room(owner memory.DID) (held int, gone []*file) {
	by := d.heldBy()
	take := func(f *file) {
		d.files = slices.DeleteFunc(d.files, func(other *file) bool { return other == f })
		by[f.caller.Owner]--
		gone = append(gone, f)
	}
	for _, f := range slices.Clone(d.files) {
		if by[owner] >= d.options.Held && f.caller.Owner == owner && f.isOver() {
			take(f)
		}
	}
	if d.isFull(owner) {
		if f := d.replaceable(owner, by); f != nil {
			take(f)
		}
	}
	return by[owner], gone
}

// heldBy counts the files of each owner, those that arrive included.
func (d *Desk) heldBy() map[memory.DID]int {
	by := map[memory.DID]int{}
	for _, owner := range d.arrives {
		by[owner]++
	}
	for _, f := range d.files {
		by[f.caller.Owner]++
	}
	return by
}

// isFull reports whether the desk has no place for another file of an owner. The home owner's
// files need none.
func (d *Desk) isFull(owner memory.DID) bool {
	by := d.heldBy()
	delete(by, d.options.Home)
	all := 0
	for _, n := range by {
		all += n
	}
	return owner != d.options.Home && all >= d.options.All
}

// replaceable returns the file that goes first for one of an owner: the oldest that is done,
// else the oldest undecided one of an owner who has most, and more than this one. nil: none.
func (d *Desk) replaceable(owner memory.DID, by map[memory.DID]int) (first *file) {
	for _, f := range d.files {
		switch {
		case f.caller.Owner == d.options.Home:
		case f.isOver():
			return f
		case f.isIdle() && by[f.caller.Owner] > by[owner] && (first == nil || by[f.caller.Owner] > by[first.caller.Owner]):
			first = f
		}
	}
	return first
}

// full refuses one file more of an owner who has so many. The caller holds mu.
func (d *Desk) full(owner memory.DID, held int) error {
	if d.isFull(owner) {
		return &memory.Error{Kind: memory.RateLimited, Op: "import", Message: "this server keeps many files already; try again later"}
	}
	if held >= d.options.Held {
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
