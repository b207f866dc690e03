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

// Expand returns what a file holds: unpacked if it begins like a gzip file, whatever it
// is called (AICF-FILE-3), with all its members one after the other, and as it is
// otherwise. The limit for files is one for what comes out (AICF-FILE-5).
func Expand(in io.Reader, o Options) (io.Reader, error) {
	buffered := bufio.NewReader(in)
	magic, err := buffered.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	out := &bounded{in: buffered, left: o.Limits.withDefaults().File}
	out.limit = out.left
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return out, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, damaged(err)
	}
	out.in, out.packed = unpacked, true
	return out, nil
}

// damaged says that a gzip file cannot be unpacked. Whoever can do with what came before
// finds the cause with errors.Is.
func damaged(err error) error {
	return &codec.ParseError{Format: formatName, Rule: "AICF-FILE-4", Err: fmt.Errorf("unpack gzip: %w", err)}
}

// bounded yields what a reader does, and refuses to go beyond a limit.
type bounded struct {
	in          io.Reader
	packed      bool
	left, limit int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, tooLarge(0, "AICF-FILE-5", "the file", b.limit)
	}
	if err != nil && err != io.EOF && b.packed {
		err = damaged(err)
	}
	return n, err
}
