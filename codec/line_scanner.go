package codec

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// LineScanner reads the lines of a stream one by one, and holds one at a time.
type LineScanner struct {
	in   *bufio.Reader
	most int64
	buf  []byte
	line int
}

// ErrLongLine is the error of a line that is longer than the limit.
var ErrLongLine = errors.New("the line is longer than the limit")

// NewLineScanner returns a scanner of lines of at most most bytes.
func NewLineScanner(in io.Reader, most int64) *LineScanner {
	return &LineScanner{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// Line is the number of the line that Next returned last, from 1.
func (s *LineScanner) Line() int { return s.line }

// Next returns the next line without its end, and io.EOF after the last. The line is valid
// until the next call. A line that is too long is [ErrLongLine], and the next call returns
// the line after it. Any other error is the last. The first line has no byte order mark.
func (s *LineScanner) Next() ([]byte, error) {
	s.buf = s.buf[:0]
	long, begun := false, false
	for {
		part, err := s.in.ReadSlice('\n')
		begun = begun || len(part) > 0
		if long = long || int64(len(s.buf)+len(part)) > s.most+int64(len("\r\n")); !long {
			s.buf = append(s.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && begun: // the last line has no end
		case err != nil:
			return nil, err
		}
		break
	}
	s.line++
	line := bytes.TrimSuffix(bytes.TrimSuffix(s.buf, []byte("\n")), []byte("\r"))
	if s.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if long || int64(len(line)) > s.most {
		return nil, ErrLongLine
	}
	return line, nil
}
