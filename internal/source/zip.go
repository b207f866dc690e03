package source

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// zip adds the files of a zip archive, after it has read all of them to their end and
// checked them. Uncompressed files are read in place.
func (b *builder) zip(file io.ReaderAt, size int64) error {
	list := &directory{ReaderAt: file, left: int64(b.limits.Files)*256 + 1<<20}
	archive, err := zip.NewReader(list, size)
	list.read = true
	if err != nil {
		if errors.Is(err, errTooMany) {
			return b.refused("", ruleMany, errTooMany)
		}
		return b.refused("", ruleDamaged, fmt.Errorf("cannot be read: %w", err))
	}
	spans := make([]stretch, 0, len(archive.File))
	for _, f := range archive.File {
		at, err := f.DataOffset()
		if err != nil {
			return b.refused(f.Name, ruleDamaged, fmt.Errorf("cannot be found: %w", err))
		}
		const head = 30 // bytes before the name of a file, which come before its data
		spans = append(spans, stretch{f.Name, at - head - int64(len(f.Name)), at + int64(f.CompressedSize64)})
	}
	if name, ok := overlap(spans); ok {
		return b.refused(name, ruleOverlap, errors.New("lies upon another file of the archive"))
	}
	back := !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return strings.Contains(f.Name, "/") })
	for i, f := range archive.File {
		if back {
			f.Name = strings.ReplaceAll(f.Name, `\`, "/") // as old programs of Windows separate folders
		}
		if err := b.zipped(file, f, spans[i].end-int64(f.CompressedSize64)); err != nil {
			return err
		}
	}
	return nil
}

// zipped adds one file whose data begins at at.
func (b *builder) zipped(file io.ReaderAt, f *zip.File, at int64) error {
	name := f.Name
	if f.NonUTF8 && !utf8.ValidString(name) {
		name, _ = charmap.CodePage437.NewDecoder().String(name) // every byte is a letter there
	}
	mode := f.Mode()
	const encrypted = 1
	switch {
	case mode.Type()&^fs.ModeDir != 0:
		return b.refused(name, ruleKind, errKind)
	case f.Flags&encrypted != 0:
		return b.refused(name, ruleMethod, errors.New("is encrypted; unpack the archive and name the folder"))
	case mode.IsDir() && f.UncompressedSize64 > 0:
		return b.refused(name, ruleKind, errors.New("is a folder with content of its own"))
	case mode.IsDir():
		_, err := b.folder(name)
		return err
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return b.refused(name, ruleMethod, fmt.Errorf("is packed by method %d, which is not known here; unpack the archive and name the folder", f.Method))
	}
	e, err := b.file(name, zipTime(f.Modified))
	if err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return unreadable(b.format, name, err)
	}
	defer in.Close()
	if f.Method == zip.Store {
		n, err := io.Copy(io.Discard, b.read(in))
		e.lies(io.NewSectionReader(file, at, n), n)
		return b.orUnreadable(name, err)
	}
	return b.orUnreadable(name, b.keep(e, b.read(in)))
}

// zipTime returns when a file of a zip archive was written. Archives that do not know use the
// beginning of the format's own calendar.
func zipTime(at time.Time) time.Time {
	if at.Before(time.Date(1980, 1, 2, 0, 0, 0, 0, time.UTC)) {
		return time.Time{}
	}
	return at
}

// stretch is the extent of a file in an archive.
type stretch struct {
	name       string
	start, end int64
}

// overlap finds a file that overlaps another.
func overlap(spans []stretch) (string, bool) {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b stretch) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(sorted); i++ {
		if sorted[i].start < sorted[i-1].end {
			return sorted[i].name, true
		}
	}
	return "", false
}

// directory bounds the reading of an archive's list of files, which is held in memory and
// may be longer than it says.
type directory struct {
	io.ReaderAt
	left int64 // bytes
	read bool  // from here on, reads are of files
}

// ReadAt implements [io.ReaderAt].
func (d *directory) ReadAt(p []byte, off int64) (int, error) {
	if d.left -= int64(len(p)); d.left < 0 && !d.read {
		return 0, errTooMany
	}
	return d.ReaderAt.ReadAt(p, off)
}
