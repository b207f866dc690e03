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

// inMemory bounds the size of an archive's file that is kept in memory, and inMemoryAll
// that of all of them. Other files go to a temporary file that only its owner can read.
const (
	inMemory    = 64 << 10
	inMemoryAll = 16 << 20
)

// builder builds the tree of an archive.
type builder struct {
	*budget
	format string
	limits codec.Limits
	within string // the archive that contains this one
	root   *node
	count  *int // number of files and folders
	spool  *spoolFile
}

func newBuilder(in *Input, opt Options) *builder {
	return &builder{
		budget: &budget{left: opt.Limits.Document, packed: in.Size},
		limits: opt.Limits, root: &node{path: "."}, count: new(int), spool: &spoolFile{in: in, opt: opt},
	}
}

var (
	errKind  = errors.New("is a link, a device or something else that is neither file nor folder")
	errPath  = errors.New("its path leads out of the archive, or is none")
	errTwice = errors.New("its path is there twice")
)

func (b *builder) refused(entry, rule string, err error) *codec.ParseError {
	return parseError(b.format, path.Join(b.within, entry), rule, err)
}

func (b *builder) orUnreadable(entry string, err error) error {
	if err == nil {
		return nil
	}
	return unreadable(b.format, path.Join(b.within, entry), err)
}

// clean returns the path of an entry inside the archive; "." is the archive itself.
func (b *builder) clean(name string) (string, error) {
	bad := name == "" || len(name) > b.limits.Name || !utf8.ValidString(name) || name[0] == '/' || strings.ContainsAny(name, "\\\x00") ||
		len(name) > 1 && name[1] == ':'
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || part == ".."
	}
	if bad {
		return "", parseError(b.format, b.within+name, rulePath, errPath)
	}
	return path.Clean(name), nil
}

// folder returns the folder with a name, and makes it and its parents if they are missing.
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

// file makes a file with a name that is not yet used.
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
		return nil, b.refused("", ruleMany, errTooMany)
	}
	made := &node{path: path.Join(at.path, name), folder: folder}
	if at.below == nil {
		at.below = map[string]*node{}
	}
	at.below[name] = made
	return made, nil
}

// keep reads the content of a file and stores it for later reading.
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

// spoolFile is a temporary file that holds unpacked files, one after the other.
type spoolFile struct {
	in   *Input
	opt  Options
	file interface {
		io.Writer
		io.ReaderAt
	}
	end  int64
	held int64 // bytes in memory
}

// take appends the content of in, and returns a reader of it.
func (s *spoolFile) take(in io.Reader) (io.ReaderAt, int64, error) {
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
