package handoff

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/aaif"
)

// lines reads lines of bounded size. After the first line it reads no byte before the
// second is asked for.
type lines struct {
	under io.Reader
	r     *bufio.Reader // from the second line on
	line  int           // most bytes of a line
	left  int64         // most bytes still to come
	n     int           // lines read
	buf   []byte
}

// where names the latest line.
func (l *lines) where() string { return fmt.Sprintf("line %d", l.n) }

// next returns the next line without its end, valid until the following call, and io.EOF
// at the end.
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
			return nil, refusal(aaif.FrameTooLarge, "8.3-12", l.where(), fmt.Sprintf("a line of more than %d bytes", l.line))
		case l.left < 0:
			return nil, refusal(aaif.TooLarge, "8.3-12", l.where(), "more bytes than are taken of one handoff")
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

// end refuses everything but line ends up to the end of the stream.
func (l *lines) end() error {
	const most = 16 // line ends
	for range most {
		line, err := l.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && aaif.CodeOf(err) == "":
			return err
		case err != nil || len(bytes.TrimSuffix(line, []byte("\r"))) > 0:
			return refusal(aaif.ProtocolError, "8.3-3", l.where(), "something follows the last frame")
		}
	}
	return refusal(aaif.ProtocolError, "8.3-3", l.where(), "something follows the last frame")
}
