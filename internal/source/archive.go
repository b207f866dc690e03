package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The rules for archives, each with the code that applies it.
const (
	ruleDamaged = "ARCHIVE-1"  // the archive can be read to its end and holds what it says
	rulePath    = "ARCHIVE-2"  // paths stay inside the archive
	ruleKind    = "ARCHIVE-3"  // it holds only files and folders
	ruleTwice   = "ARCHIVE-4"  // no path occurs twice
	ruleMany    = "ARCHIVE-5"  // the number of files and folders is within the limit
	ruleBytes   = "ARCHIVE-6"  // the unpacked size is within the limit
	ruleRatio   = "ARCHIVE-7"  // the unpacked size is in proportion to the packed size
	ruleMethod  = "ARCHIVE-8"  // the packing method is supported, and files are not encrypted
	ruleOverlap = "ARCHIVE-9"  // files do not overlap
	ruleNested  = "ARCHIVE-10" // nested archives unpack without name conflicts
)

// How far packed data may grow. Repetitive text stays below a hundredfold; a bomb reaches a
// thousandfold.
const (
	mostGrowth = 300
	smallSize  = 16 << 20 // accepted in any proportion
)

// The first bytes of each kind of packed file.
var (
	zipMagic   = []byte("PK\x03\x04")
	emptyZip   = []byte("PK\x05\x06")
	gzipMagic  = []byte{0x1f, 0x8b}
	tarMagic   = []byte("ustar")
	tarMagicAt = 257
)

// unpack opens a file that is an archive or compressed, and leaves any other as it is. On
// an error it closes in.
func unpack(in *Input, opt Options) (*Input, error) {
	err := unpackInto(in, opt)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", in.Name, err), in.Close())
	}
	return in, nil
}

func unpackInto(in *Input, opt Options) error {
	head, err := beginning(in.Source)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(head, gzipMagic) {
		if opt.Known != nil && opt.Known(in.Source) {
			return nil
		}
		if err := gunzip(in, opt); err != nil {
			return err
		}
		if head, err = beginning(in.Source); err != nil {
			return err
		}
		if isZip(head) {
			return parseError("gzip", "", ruleNested, errors.New("an archive that is compressed once more; unpack it first"))
		}
	}
	b := newBuilder(in, opt)
	switch {
	case isZip(head):
		b.format = "zip"
		err = b.zip(in.File, in.Size)
	case isTar(head):
		b.format = "tar"
		err = b.tar(in.File, in.Size)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	top, err := b.nested(b.top())
	if err != nil {
		return err
	}
	b.settle(in, top, opt)
	return nil
}

// IsArchive reports whether a file looks like a zip, tar or gzip file.
func IsArchive(src codec.Source) bool {
	if src.File == nil {
		return false
	}
	head, err := beginning(src)
	return err == nil && (isZip(head) || isTar(head) || bytes.HasPrefix(head, gzipMagic))
}

// ArchiveIn returns the name of the first file of a folder that looks like an archive, ""
// if there is none.
func ArchiveIn(tree fs.FS) string {
	entries, err := fs.ReadDir(tree, ".")
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() && archived(tree, e.Name()) {
			return e.Name()
		}
	}
	return ""
}

func archived(tree fs.FS, name string) bool {
	f, err := tree.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	at, ok := f.(io.ReaderAt)
	return ok && IsArchive(codec.Source{File: at})
}

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, zipMagic) || bytes.HasPrefix(head, emptyZip)
}

func isTar(head []byte) bool {
	return len(head) > tarMagicAt && bytes.HasPrefix(head[tarMagicAt:], tarMagic)
}

// beginning reads enough of a file to recognise it.
func beginning(src codec.Source) ([]byte, error) {
	head := make([]byte, tarMagicAt+len(tarMagic))
	n, err := src.File.ReadAt(head, 0)
	if err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// parseError returns the error of an archive, or of one file in it.
func parseError(format, entry, rule string, err error) *codec.ParseError {
	const long = 200
	if len(entry) > long {
		entry = strings.ToValidUTF8(entry[:long], "") + "…"
	}
	return &codec.ParseError{Format: format, File: entry, Rule: rule, Err: err}
}

// budget bounds the unpacked size of an archive, with the archives nested in it.
type budget struct {
	left   int64 // bytes
	out    int64 // bytes unpacked
	packed int64 // bytes of the opened file
}

var errGrowth = fmt.Errorf("more than %d times what it is packed in comes out; if that is what it should be, unpack it and name the folder", mostGrowth)

// read returns a reader that stops at the budget.
func (b *budget) read(in io.Reader) io.Reader { return &budgetReader{in, b} }

// budgetReader counts the bytes that it reads from an archive, whatever the archive's
// headers say.
type budgetReader struct {
	in io.Reader
	*budget
}

// Read implements [io.Reader]. Beyond the budget it fails with ErrTooLarge, or with the
// error for a size out of proportion.
func (m *budgetReader) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	m.left -= int64(n)
	m.out += int64(n)
	switch {
	case m.left < 0:
		return 0, ErrTooLarge
	case m.out > smallSize && m.out/mostGrowth > m.packed:
		return 0, errGrowth
	}
	return n, err
}

// unreadable returns the error, with its rule, of a file that could not be unpacked.
func unreadable(format, entry string, err error) error {
	switch {
	case errors.Is(err, ErrTooLarge):
		return parseError(format, entry, ruleBytes, err)
	case errors.Is(err, errGrowth):
		return parseError(format, entry, ruleRatio, err)
	case isOurs(err):
		return err
	}
	return parseError(format, entry, ruleDamaged, fmt.Errorf("cannot be read: %w", err))
}

// isOurs reports whether a failure is this machine's and not the archive's.
func isOurs(err error) bool {
	_, ok := errors.AsType[*os.PathError](err)
	return ok
}

// bare is the name of an archive without the extensions of archives.
func bare(name string) string {
	lower := strings.ToLower(name)
	for _, ending := range []string{".tar.gz", ".tgz", ".tar", ".zip", ".gz"} {
		if strings.HasSuffix(lower, ending) && len(name) > len(ending) {
			return name[:len(name)-len(ending)]
		}
	}
	return name
}

// settle makes in the content of the archive: a folder, or the only file in it if no format
// accepts such a folder. A folder that contains only one folder is replaced by that.
func (b *builder) settle(in *Input, top *node, opt Options) {
	top.list()
	name := bare(in.Name)
	if top.path != "." {
		name = path.Base(top.path)
	}
	src := codec.Source{Name: name, Tree: &packedTree{top}, Modified: in.Modified}
	if only := top.only(); only != nil && (opt.Known == nil || !opt.Known(src)) {
		src = codec.Source{Name: path.Base(only.path), File: only.data, Size: only.size, Modified: only.modified}
		if src.Modified.IsZero() {
			src.Modified = in.Modified
		}
	}
	in.Source = src
}
