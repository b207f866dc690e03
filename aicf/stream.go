package aicf

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

const (
	blockSize = 256 << 10 // bytes of one read
	partSize  = 1 << 20   // where a Scanner splits a section of one-line entries
)

// Scanner reads a file section by section in bounded memory. It finds what [Parse] finds,
// with two exceptions. It splits a section of one-line entries of more than 1 MiB into
// several. It refuses other sections beyond the limit for a line.
type Scanner struct {
	in     io.Reader
	o      Options
	limits Limits
	lexer  *lexer
	buffer []byte // from the start of the next section, or earlier
	base   int    // offset of the buffer in the file
	lexed  int    // bytes of the buffer that the lexer has read
	size   int    // bytes read
	ended  bool
	err    error
}

// NewScanner returns a Scanner of a reader; see [Expand] for packed files.
func NewScanner(in io.Reader, o Options) *Scanner {
	return &Scanner{in: in, o: o, limits: o.Limits.withDefaults()}
}

// Next returns the next section, or [io.EOF] after the last one. The section stays valid.
func (s *Scanner) Next() (Section, error) {
	for s.err == nil {
		if section, ok := s.take(); ok {
			return section, nil
		}
		if s.ended {
			s.err = io.EOF
			break
		}
		s.err = s.fill()
	}
	return Section{}, s.err
}

// take cuts off the first complete section.
func (s *Scanner) take() (Section, bool) {
	if s.lexer == nil || len(s.lexer.marks) == 0 || len(s.lexer.marks) == 1 && !s.ended {
		return Section{}, false
	}
	marks := s.lexer.marks
	end := s.lexed
	if len(marks) > 1 {
		end = marks[1].at - s.base
	}
	section := Section{data: slices.Clone(s.buffer[marks[0].at-s.base : end]), line: marks[0].line, numbering: s.lexer.numbering}
	section.inspect(&s.lexer.log, s.lexer.marked+marks[0].at, s.lexer.unread)
	s.lexer.marks = marks[1:]
	return section, true
}

// fill reads until there is another line, or the end.
func (s *Scanner) fill() error {
	s.discard()
	for whole := 0; whole == 0 && !s.ended; {
		before := len(s.buffer) // there is no line feed between lexed and here
		if err := s.read(); err != nil {
			return err
		}
		if s.lexer == nil {
			s.begin()
		}
		fresh := len(s.buffer) - s.lexed
		if feed := bytes.LastIndexByte(s.buffer[before:], '\n'); feed >= 0 {
			whole = before + feed + 1 - s.lexed
		}
		if s.ended {
			whole = fresh
		}
		if whole == 0 && fresh > s.limits.Line {
			return TooLarge(s.lexer.line+1, "AICF-SIZE-2", "the line", int64(s.limits.Line))
		}
		s.lexer.base = s.base
		s.lexer.run(s.buffer[:s.lexed+whole], s.lexed)
		s.lexed += whole
	}
	if s.ended {
		s.lexer.finish(s.size)
	}
	return s.bounded()
}

// bounded refuses a section that is too large to hold whole.
func (s *Scanner) bounded() error {
	if s.lexer.err != nil {
		return s.lexer.err
	}
	if marks := s.lexer.marks; len(marks) == 1 && s.base+s.lexed-marks[0].at > s.limits.Line {
		return TooLarge(marks[0].line, "AICF-SIZE-4", "the section", int64(s.limits.Line))
	}
	return nil
}

// begin reads the first block.
func (s *Scanner) begin() {
	text := bytes.TrimPrefix(s.buffer, byteOrderMark)
	s.lexer = newLexer(text, s.o)
	s.lexer.marked = len(s.buffer) - len(text)
	s.buffer = text
	s.lexer.part = partSize
}

// discard drops the bytes before the next section.
func (s *Scanner) discard() {
	if s.lexer == nil || len(s.lexer.marks) == 0 {
		return
	}
	if gone := s.lexer.marks[0].at - s.base; gone > 0 {
		s.buffer = append(s.buffer[:0], s.buffer[gone:]...)
		s.base += gone
		s.lexed -= gone
	}
	s.lexer.marks = append([]mark(nil), s.lexer.marks...)
}

// read adds a block to the buffer.
func (s *Scanner) read() error {
	start := len(s.buffer)
	s.buffer = slices.Grow(s.buffer, blockSize)[:start+blockSize]
	n, err := 0, error(nil)
	for n < blockSize && err == nil {
		var more int
		more, err = s.in.Read(s.buffer[start+n:])
		n += more
	}
	s.buffer = s.buffer[:start+n]
	if s.size += n; int64(s.size) > s.limits.File {
		return TooLarge(0, "AICF-SIZE-1", "the file", s.limits.File)
	}
	if s.ended = err == io.EOF; s.ended || err == nil {
		return nil
	}
	return fmt.Errorf("read: %w", err)
}

// Layout returns the layout of the file. It is complete once Next has returned [io.EOF], as
// are the lines and findings.
func (s *Scanner) Layout() Layout {
	if s.lexer == nil {
		return Layout{}
	}
	return s.lexer.layout()
}

// Lines returns the number of lines read.
func (s *Scanner) Lines() int {
	if s.lexer == nil {
		return 0
	}
	return s.lexer.line
}

// Findings returns what [File.Findings] does, for the part read.
func (s *Scanner) Findings() []Finding {
	if s.lexer == nil {
		return nil
	}
	return s.lexer.log.inOrder()
}
