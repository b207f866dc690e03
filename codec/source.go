package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// HeadSize is how many bytes of a document Detect looks at.
const HeadSize = 64 << 10

// Head returns the first [HeadSize] bytes of a file, or all of a shorter one, without a
// byte order mark.
func (s Source) Head() ([]byte, error) {
	head := make([]byte, min(s.Size, HeadSize))
	n, err := s.File.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning: %w", err)
	}
	return bytes.TrimPrefix(head[:n], []byte("\ufeff")), nil
}

// IsEmpty reports whether a file has no bytes, or a folder lists no entry.
func (s Source) IsEmpty() bool {
	if s.Tree == nil {
		return s.File != nil && s.Size == 0
	}
	entries, err := fs.ReadDir(s.Tree, ".")
	return err == nil && len(entries) == 0
}

// ObjectHead is Head for a document that begins with a JSON object. It removes white space
// before the object. ok is false for any other document and for a folder.
func (s Source) ObjectHead() (head []byte, ok bool) {
	if s.File == nil {
		return nil, false
	}
	head, err := s.Head()
	head = bytes.TrimLeft(head, " \t\r\n")
	return head, err == nil && bytes.HasPrefix(head, []byte("{"))
}
