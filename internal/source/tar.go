package source

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// tar adds the files of a tar archive, which are read in place.
func (b *builder) tar(file io.ReaderAt, size int64) error {
	in := io.NewSectionReader(file, 0, size)
	archive := tar.NewReader(in)
	last := ""
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.refused(last, ruleDamaged, fmt.Errorf("cannot be read, or what follows it: %w", err))
		}
		at, err := in.Seek(0, io.SeekCurrent) // the archive's reader reads no further than it needs
		if err != nil {
			return err
		}
		last = head.Name
		if err := b.entry(head, io.NewSectionReader(file, at, head.Size)); err != nil {
			return err
		}
	}
}

// entry adds the file or folder behind one header.
func (b *builder) entry(head *tar.Header, data *io.SectionReader) error {
	switch {
	case head.Typeflag == tar.TypeXGlobalHeader:
		return nil // data about the whole archive, such as a commit
	case head.Typeflag == tar.TypeDir:
		_, err := b.folder(head.Name)
		return err
	case head.Typeflag != tar.TypeReg || Sparse(head):
		return b.refused(head.Name, ruleKind, errKind)
	}
	e, err := b.file(head.Name, since1970(head.ModTime))
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, b.read(data))
	if err == nil && n < head.Size {
		err = io.ErrUnexpectedEOF
	}
	e.lies(data, n)
	return b.orUnreadable(head.Name, err)
}

// Sparse reports whether a file of a tar archive has holes, which take no room in it. Old
// GNU archives show this in the type.
func Sparse(head *tar.Header) bool {
	for name := range head.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// since1970 returns when a file of a tar archive was written; zero: the archive does not
// say.
func since1970(at time.Time) time.Time {
	if at.Unix() <= 0 {
		return time.Time{}
	}
	return at
}
