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

// The rules for archives, beside the place that holds them.
const (
	ruleDamaged = "ARCHIVE-1"  // it can be read to its end and holds what it says
	rulePath    = "ARCHIVE-2"  // paths stay within it
	ruleKind    = "ARCHIVE-3"  // it holds files and folders and nothing else
	ruleTwice   = "ARCHIVE-4"  // no path is there twice
	ruleMany    = "ARCHIVE-5"  // files and folders are no more than the limit
	ruleBytes   = "ARCHIVE-6"  // what comes out is no more than the limit
	ruleRatio   = "ARCHIVE-7"  // nor out of proportion to what it is packed in
	ruleMethod  = "ARCHIVE-8"  // files are packed in a way that is known here, and not encrypted
	ruleOverlap = "ARCHIVE-9"  // files do not lie upon each other
	ruleNested  = "ARCHIVE-10" // archives in it can be put where they would be unpacked to
)

// How far what is packed may grow. Text that repeats itself a lot stays below a
// hundredfold; a bomb goes to a thousandfold.
const (
	mostGrowth = 300
	smallSize  = 16 << 20 // no matter how it was packed
)

// The beginnings by which what is packed is told.
var (
	zipMagic   = []byte("PK\x03\x04")
	emptyZip   = []byte("PK\x05\x06")
	gzipMagic  = []byte{0x1f, 0x8b}
	tarMagic   = []byte("ustar")
	tarMagicAt = 257
)

// unpack looks into a file that is an archive or compressed, and leaves any other as it
// is. On an error in is closed.
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
			return refused("gzip", "", ruleNested, errors.New("an archive that is compressed once more; unpack it first"))
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
// where there is none.
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

// beginning reads as much of a file as tells what it is.
func beginning(src codec.Source) ([]byte, error) {
	head := make([]byte, tarMagicAt+len(tarMagic))
	n, err := src.File.ReadAt(head, 0)
	if err == io.EOF {
		err = nil
	}
	return head[:n], err
}

// refused says what is wrong with an archive, and with which file of it.
func refused(format, entry, rule string, err error) *codec.ParseError {
	const long = 200
	if len(entry) > long {
		entry = strings.ToValidUTF8(entry[:long], "") + "…"
	}
	return &codec.ParseError{Format: format, File: entry, Rule: rule, Err: err}
}

// budget bounds what comes out of an archive, however deep it lay.
type budget struct {
	left   int64 // bytes
	out    int64 // bytes that came out
	packed int64 // bytes of the file that was opened
}

var errGrowth = fmt.Errorf("more than %d times what it is packed in comes out; if that is what it should be, unpack it and name the folder", mostGrowth)

// read reads at most as much as may come out.
func (b *budget) read(in io.Reader) io.Reader { return &measured{in, b} }

// measured counts what comes out of an archive as it is read, not as it says.
type measured struct {
	in io.Reader
	*budget
}

// Read implements [io.Reader]. Beyond the budget it fails with ErrTooLarge, or for what
// is out of proportion.
func (m *measured) Read(p []byte) (int, error) {
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

// unreadable says by which rule something did not come out of an archive.
func unreadable(format, entry string, err error) error {
	switch {
	case errors.Is(err, ErrTooLarge):
		return refused(format, entry, ruleBytes, err)
	case errors.Is(err, errGrowth):
		return refused(format, entry, ruleRatio, err)
	case isOurs(err):
		return err
	}
	return refused(format, entry, ruleDamaged, fmt.Errorf("cannot be read: %w", err))
}

// isOurs reports whether a failure is one of this machine, and not of the archive.
func isOurs(err error) bool {
	_, ok := errors.AsType[*os.PathError](err)
	return ok
}

// bare is the name of an archive without the endings that say that it is one.
func bare(name string) string {
	lower := strings.ToLower(name)
	for _, ending := range []string{".tar.gz", ".tgz", ".tar", ".zip", ".gz"} {
		if strings.HasSuffix(lower, ending) && len(name) > len(ending) {
			return name[:len(name)-len(ending)]
		}
	}
	return name
}

// settle makes the archive what in is: a folder, or the only file in it where no format
// knows such a folder. What holds a folder and nothing else is that folder.
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
