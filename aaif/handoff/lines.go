package handoff

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/aaif"
)

// lines reads lines of a bounded size, and no byte behind the first before the second is
// asked for.
type lines struct {
	under io.Reader
	r     *bufio.Reader // from the second line on
	line  int           // most bytes of a line
	left  int64         // most bytes still to come
	n     int           // lines read
	buf   []byte
}

// where names the line read last.
func (l *lines) where() string { return fmt.Sprintf("line %d", l.n) }

// next returns the next line without its end, good until the call after, and io.EOF
// where nothing is left.
func (l *lines) next() ([]byte, error) {
	l.n++
	l.buf = l.buf[:0]
	read := l.piece
	if l.n == 1 {
		read = l.letter
	}
	for {
		piece, err := read()
		l.buf = append(l.buf, piece...)
		l.left -= int64(len(piece))
		switch {
		case len(bytes.TrimSuffix(l.buf, []byte("\n"))) > l.line:
			return nil, refused(aaif.FrameTooLarge, "8.3-12", l.where(), fmt.Sprintf("a line of more than %d bytes", l.line))
		case l.left < 0:
			return nil, refused(aaif.TooLarge, "8.3-12", l.where(), "more bytes than are taken of one handoff")
		case bytes.HasSuffix(l.buf, []byte("\n")):
			return l.buf[:len(l.buf)-1], nil
		case err == io.EOF && len(l.buf) > 0:
			return l.buf, nil
		case err == bufio.ErrBufferFull, err == nil:
		default:
			return nil, err
		}
	}
}

// piece reads a part of a line.
func (l *lines) piece() ([]byte, error) {
	if l.r == nil {
		l.r = bufio.NewReaderSize(l.under, 32<<10)
	}
	return l.r.ReadSlice('\n')
}

// letter reads one byte.
func (l *lines) letter() ([]byte, error) {
	var b [1]byte
	n, err := io.ReadFull(l.under, b[:])
	return b[:n], err
}

// end refuses anything but the ends of lines up to the end of the stream.
func (l *lines) end() error {
	const most = 16 // ends of lines
	for range most {
		line, err := l.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && aaif.CodeOf(err) == "":
			return err
		case err != nil || len(bytes.TrimSuffix(line, []byte("\r"))) > 0:
			return refused(aaif.ProtocolError, "8.3-3", l.where(), "something follows the last frame")
		}
	}
	return refused(aaif.ProtocolError, "8.3-3", l.where(), "something follows the last frame")
}
