package aicffile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// packedEnding is the ending of files that are packed on writing (AICF-FILE-3).
const packedEnding = ".aicf.gz"

// isPacked reports whether a file begins like a packed one.
func isPacked(file io.ReaderAt) (bool, error) {
	var magic [2]byte
	_, err := file.ReadAt(magic[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return magic == [2]byte{0x1f, 0x8b}, nil
}

// pack returns data as a member of a gzip file. The same data gives the same bytes.
func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return b.Bytes(), nil
}

// packedFor returns data in the form for a file of that name.
func packedFor(path string, data []byte) ([]byte, error) {
	if !strings.HasSuffix(path, packedEnding) {
		return data, nil
	}
	return pack(data)
}

// wholeMembers returns how many bytes of a gzip file are complete members; the first
// must be complete. The bytes after them are the rest of an interrupted append.
func wholeMembers(file io.ReaderAt, size int64) (int64, error) {
	in := &counting{in: bufio.NewReader(io.NewSectionReader(file, 0, size))}
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return 0, fmt.Errorf("unpack: %w", err)
	}
	for end := int64(0); ; {
		unpacked.Multistream(false)
		_, err := io.Copy(io.Discard, unpacked)
		if err == nil {
			end = in.n
			if err = unpacked.Reset(in); err == nil {
				continue
			}
		}
		if end == 0 {
			return 0, fmt.Errorf("unpack: %w", err)
		}
		return end, nil // at the end, or before bytes that cannot be unpacked
	}
}

// counting counts the bytes read. It is an [io.ByteReader], so that the gzip package
// does not read beyond a member.
type counting struct {
	in *bufio.Reader
	n  int64
}

// Read implements [io.Reader].
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements [io.ByteReader].
func (c *counting) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}
