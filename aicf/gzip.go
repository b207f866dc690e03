package aicf

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/codec"
)

// Expand unpacks a file that begins like a gzip file, whatever its name (AICF-FILE-3), with
// all its members. It returns any other file as it is. The limit for files bounds the
// unpacked bytes (AICF-FILE-5).
func Expand(in io.Reader, o Options) (io.Reader, error) {
	buffered := bufio.NewReader(in)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	out := &limitedReader{in: buffered, left: o.Limits.withDefaults().File}
	out.limit = out.left
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return out, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, gzipError(err)
	}
	out.in, out.packed = unpacked, true
	return out, nil
}

// gzipError is the error of a gzip file that cannot be unpacked. errors.Is finds the cause.
func gzipError(err error) error {
	return &codec.ParseError{Format: Name, Rule: "AICF-FILE-4", Err: fmt.Errorf("unpack gzip: %w", err)}
}

// limitedReader refuses to read beyond a limit.
type limitedReader struct {
	in          io.Reader
	packed      bool
	left, limit int64
}

// Read implements [io.Reader].
func (b *limitedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, TooLarge(0, "AICF-FILE-5", "the file", b.limit)
	}
	if err != nil && err != io.EOF && b.packed {
		err = gzipError(err)
	}
	return n, err
}
