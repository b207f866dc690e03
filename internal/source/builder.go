package source

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// inMemory is how long a file of an archive may be to be kept in memory, and inMemoryAll
// how long all of them. The others go to a file that only its owner can read.
const (
	inMemory    = 64 << 10
	inMemoryAll = 16 << 20
)

// builder makes a tree of an archive.
type builder struct {
	*budget
	format string
	limits codec.Limits
	within string // the archive that this one lies in
	root   *node
	count  *int // files and folders
	spool  *spooled
}

func newBuilder(in *Input, opt Options) *builder {
	return &builder{
		budget: &budget{left: opt.Limits.Document, packed: in.Size},
		limits: opt.Limits, root: &node{path: "."}, count: new(int), spool: &spooled{in: in, opt: opt},
	}
}

var (
	errKind  = errors.New("is a link, a device or something else that is neither file nor folder")
	errPath  = errors.New("its path leads out of the archive, or is none")
	errTwice = errors.New("its path is there twice")
)

func (b *builder) refused(entry, rule string, err error) *codec.ParseError {
	return refused(b.format, path.Join(b.within, entry), rule, err)
}

func (b *builder) orUnreadable(entry string, err error) error {
	if err == nil {
		return nil
	}
	return unreadable(b.format, path.Join(b.within, entry), err)
}

// clean returns the path of an entry within the archive; "." is the archive itself.
func (b *builder) clean(name string) (string, error) {
	bad := name == "" || len(name) > b.limits.Name || !utf8.ValidString(name) || name[0] == '/' || strings.ContainsAny(name, "\\\x00") ||
		len(name) > 1 && name[1] == ':'
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == ".."
	}
	if bad {
		return "", refused(b.format, b.within+name, rulePath, errPath)
	}
	return path.Clean(name), nil
}

// folder returns the folder of that name, and makes what is missing of it.
func (b *builder) folder(name string) (*node, error) {
	name, err := b.clean(name)
	if err != nil || name == "." {
		return b.root, err
	}
	at := b.root
	for part := range strings.SplitSeq(name, "/") {
		below, ok := at.below[part]
		if !ok {
			if below, err = b.add(at, part, true); err != nil {
				return nil, err
			}
		}
		if !below.folder {
			return nil, b.refused(name, ruleTwice, errTwice)
		}
		at = below
	}
	return at, nil
}

// file makes a file of that name, which must not be there.
func (b *builder) file(name string, modified time.Time) (*node, error) {
	full, err := b.clean(name)
	if err != nil {
		return nil, err
	}
	if full == "." || strings.HasSuffix(name, "/") {
		return nil, b.refused(name, rulePath, errPath)
	}
	at, err := b.folder(path.Dir(full))
	if err != nil {
		return nil, err
	}
	if at.below[path.Base(full)] != nil {
		return nil, b.refused(full, ruleTwice, errTwice)
	}
	made, err := b.add(at, path.Base(full), false)
	if err == nil {
		made.modified = modified
		made.lies(bytes.NewReader(nil), 0)
	}
	return made, err
}

func (b *builder) add(at *node, name string, folder bool) (*node, error) {
	if *b.count++; *b.count > b.limits.Files {
		return nil, b.refused("", ruleMany, ErrTooMany)
	}
	made := &node{path: path.Join(at.path, name), folder: folder}
	if at.below == nil {
		at.below = map[string]*node{}
	}
	at.below[name] = made
	return made, nil
}

// keep reads what a file holds and puts it where it can be read again.
func (b *builder) keep(e *node, in io.Reader) error {
	var small bytes.Buffer
	if b.spool.held < inMemoryAll {
		n, err := io.Copy(&small, io.LimitReader(in, inMemory))
		if err != nil {
			return err
		}
		if n < inMemory {
			b.spool.held += n
			e.lies(bytes.NewReader(small.Bytes()), n)
			return nil
		}
	}
	data, n, err := b.spool.take(io.MultiReader(&small, in))
	e.lies(data, n)
	return err
}

// spooled is a file that holds what came out of an archive, one after the other.
type spooled struct {
	in   *Input
	opt  Options
	file interface {
		io.Writer
		io.ReaderAt
	}
	end  int64
	held int64 // bytes that are in memory
}

// take appends what in holds, and returns where that can be read.
func (s *spooled) take(in io.Reader) (io.ReaderAt, int64, error) {
	if s.file == nil {
		f, err := temporary(s.in, s.opt)
		if err != nil {
			return bytes.NewReader(nil), 0, err
		}
		s.file = f
	}
	n, err := io.Copy(s.file, in)
	at := s.end
	s.end += n
	return io.NewSectionReader(s.file, at, n), n, err
}
