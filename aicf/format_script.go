package aicf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostWhole is how large a file may be, unpacked, that is held in memory as a whole.
// Larger ones are read section by section, several times.
const mostWhole = 16 << 20

// script is a file that can be read again and again, entry by entry.
type script struct {
	src      codec.Source
	options  Options
	contents *Contents // nil: the file is read section by section
	scanner  *Scanner  // of the last run, then
	lines    int
}

// openScript reads a file whole, unless it is a large one that is made of sections.
func openScript(src codec.Source, opt codec.Options) (*script, error) {
	if src.File == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Message: "an AICF document is one file, not a folder; name the files in it"}
	}
	s := &script{src: src, options: Options{Limits: Limits{File: opt.Limits.Document}}}
	if opt.Limits.Document > 0 && src.Size > opt.Limits.Document {
		return nil, tooLarge(0, "AICF-SIZE-1", "the file", opt.Limits.Document)
	}
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, mostWhole+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(data) > mostWhole && sectioned(data) {
		return s, nil
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		return nil, unreadable(err)
	}
	return s, s.whole(append(data, rest...))
}

func (s *script) whole(data []byte) error {
	f, err := Parse(data, s.options)
	if err != nil {
		return err
	}
	s.contents, _ = Read(f, s.options)
	s.lines = f.Lines()
	if !s.foreign() {
		return nil
	}
	if !utf8.Valid(data) {
		return refused(&Gap{}, "AICF-VALC-1", "the text is not UTF-8")
	}
	allDemanded(s.contents)
	return nil
}

// sectioned reports whether a file is made of numbered sections, which can be read one
// by one.
func sectioned(data []byte) bool {
	data = bytes.TrimPrefix(data, byteOrderMark)
	number := Numbered.numberWidth(data)
	return numberingOf(data) == Numbered && bytes.HasPrefix(data[number:], []byte("@"))
}

func (s *script) open() (io.Reader, error) {
	return Expand(io.NewSectionReader(s.src.File, 0, s.src.Size), s.options)
}

// unreadable gives an error of reading a place in the format's own.
func unreadable(err error) error {
	if _, ok := errors.AsType[*codec.ParseError](err); ok {
		return err
	}
	return &codec.ParseError{Format: formatName, Err: fmt.Errorf("read the file: %w", err)}
}

// entries yields what the file says, in its order. An error is the last.
func (s *script) entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		each := func(e Entry) bool {
			if err := s.plain(e); err != nil {
				yield(nil, err)
				return false
			}
			return yield(e, nil)
		}
		if s.contents == nil {
			if err := s.scan(each); err != nil {
				yield(nil, err)
			}
			return
		}
		for _, e := range s.contents.Entries {
			if !each(e) {
				return
			}
		}
	}
}

// scan reads section by section.
func (s *script) scan(each func(Entry) bool) error {
	in, err := s.open()
	if err != nil {
		return err
	}
	s.scanner = NewScanner(in, s.options)
	for {
		section, err := s.scanner.Next()
		if err == io.EOF {
			s.lines = s.scanner.Lines()
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		entries, _ := ReadSection(section)
		for _, e := range entries {
			if !each(e) {
				return nil
			}
		}
	}
}

// plain refuses what no record can say.
func (s *script) plain(e Entry) error {
	if !utf8.ValidString(e.Place().Raw) {
		return refused(e, "AICF-VALC-1", "the text is not UTF-8")
	}
	if d, ok := e.(*Declaration); ok {
		if v, known := ParseVersion(d.Version); known && v.Major() > V31.Major() {
			err := refused(e, "AICF-FWD-5", "a file of version "+v.String()+", which is not known here")
			err.Kind = memory.Unsupported
			return err
		}
	}
	return nil
}

// refused is the error for an entry that cannot be taken over.
func refused(e Entry, rule, why string) *codec.ParseError {
	err := &codec.ParseError{Format: formatName, Rule: rule, Err: errors.New(why)}
	if line := e.Place().Line; line > 0 {
		err.Path = fmt.Sprintf("line %d", line)
	}
	return err
}

// layout returns what the file looks like; false: lines that look otherwise are not known.
func (s *script) layout() (Layout, []OddLine, bool) {
	if s.contents == nil {
		return s.scanner.Layout(), nil, false
	}
	return s.contents.Layout, s.contents.Odd, true
}

// foreign reports whether the file is of a dialect that is not made of sections, so that
// it is kept as a whole.
func (s *script) foreign() bool { return s.contents != nil && !s.contents.Dialect.sections() }
