package paste

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// The rules of this format, as the package comment lists them.
const (
	ruleUTF8  = "PASTE-1"
	ruleEntry = "PASTE-2"
	ruleDate  = "PASTE-3"
	ruleLimit = "PASTE-5"
	ruleDraft = "PASTE-6"
)

func violation(rule string, line int, err error) *codec.ParseError {
	p := &codec.ParseError{Format: formatName, Rule: rule, Err: err}
	if line > 0 {
		p.Path = fmt.Sprintf("line %d", line)
	}
	return p
}

// scanner reads a text line by line.
type scanner struct {
	in     *bufio.Scanner
	number int // of the present line, from 1
	blocks blocks
	ended  bool
}

func newScanner(src codec.Source, opt codec.Options) (*scanner, error) {
	if src.File == nil {
		return nil, violation(ruleEntry, 0, errors.New("a folder; name the text file in it"))
	}
	if src.Size > opt.Limits.Document {
		return nil, violation(ruleLimit, 0, fmt.Errorf("more than %d bytes; split the text, or raise the limit", opt.Limits.Document))
	}
	dated, err := isDated(src)
	if err != nil {
		return nil, err
	}
	in := bufio.NewScanner(io.NewSectionReader(src.File, 0, src.Size))
	longest := int(min(opt.Limits.Record, math.MaxInt32)) + len("\r\n")
	in.Buffer(make([]byte, 0, min(64<<10, longest)), longest)
	return &scanner{in: in, blocks: blocks{opt: opt, listed: !dated}}, nil
}

// headOf returns whole lines from the beginning of a text.
func headOf(src codec.Source) ([]byte, error) {
	head, err := src.Head()
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 && src.Size > codec.HeadSize {
		head = head[:end]
	}
	return head, err
}

// isDated reports whether a text has an entry with a date near its beginning, and so has
// the form of the memory import.
func isDated(src codec.Source) (bool, error) {
	head, err := headOf(src)
	for line := range bytes.Lines(head) {
		if date, _, ok := bracketed(string(line)); ok && opens(date) {
			return true, nil
		}
	}
	return false, err
}

// next reads until an entry is complete or a rule is broken, and returns io.EOF after the
// last. Any other error ends the reading.
func (s *scanner) next() (*entry, []*codec.ParseError, error) {
	b := &s.blocks
	for {
		if len(b.found) > 0 {
			found := b.found
			b.found = nil
			return nil, found, nil
		}
		if len(b.done) > 0 {
			first := b.done[0]
			b.done = b.done[1:]
			return first, nil, nil
		}
		if s.ended {
			return nil, nil, io.EOF
		}
		if err := s.step(); err != nil {
			return nil, nil, err
		}
	}
}

// step reads one line, or the end.
func (s *scanner) step() error {
	b := &s.blocks
	if !s.in.Scan() {
		return s.end()
	}
	s.number++
	line := s.in.Text()
	if s.number == 1 {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	if !utf8.ValidString(line) {
		b.add(ruleUTF8, s.number, errors.New("bytes that are not UTF-8; save the text as UTF-8"))
		return nil
	}
	b.line(s.number, line)
	if limit := b.opt.Limits.Records; b.count > limit {
		return violation(ruleLimit, s.number, fmt.Errorf("more than %d entries; split the text, or raise the limit", limit))
	}
	return nil
}

// end checks at the end of the text that it had an entry (PASTE-2).
func (s *scanner) end() error {
	b := &s.blocks
	if err := s.in.Err(); errors.Is(err, bufio.ErrTooLong) {
		return violation(ruleLimit, s.number+1, fmt.Errorf("a line of more than %d bytes; split it, or raise the limit", b.opt.Limits.Record))
	} else if err != nil {
		return fmt.Errorf("read line %d: %w", s.number+1, err)
	}
	s.ended = true
	b.end()
	b.quiet()
	if b.count == 0 && (!b.fenced || b.babble > 0) {
		return violation(ruleEntry, 0, errors.New("no line is a memory; put one on each line, as in:\n\t[2025-03-01] - Lives in Porto\nor:\n\t- Lives in Porto"))
	}
	return nil
}
