package mapping

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// mostWhole is the largest unpacked file that is held in memory whole. Larger ones are read
// section by section, several times.
const mostWhole = 16 << 20

// sourceFile is a file that can be read repeatedly, entry by entry.
type sourceFile struct {
	src      codec.Source
	options  aicf.Options
	contents *aicf.Contents // nil: the file is read section by section
	scanner  *aicf.Scanner  // of the last pass, then
	lines    int
}

// openSourceFile reads a file whole, unless it is large and consists of sections.
func openSourceFile(src codec.Source, opt codec.Options) (*sourceFile, error) {
	if src.File == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Message: "an AICF document is one file, not a folder; name the files in it"}
	}
	s := &sourceFile{src: src, options: aicf.Options{Limits: aicf.Limits{File: opt.Limits.Document}}}
	if opt.Limits.Document > 0 && src.Size > opt.Limits.Document {
		return nil, aicf.TooLarge(0, "AICF-SIZE-1", "the file", opt.Limits.Document)
	}
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, mostWhole+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(data) > mostWhole && aicf.Sectioned(data) {
		return s, nil
	}
	rest, err := io.ReadAll(in)
	if err != nil {
		return nil, unreadable(err)
	}
	return s, s.whole(append(data, rest...))
}

func (s *sourceFile) whole(data []byte) error {
	f, err := aicf.Parse(data, s.options)
	if err != nil {
		return err
	}
	s.contents, _ = aicf.Read(f, s.options)
	s.lines = f.Lines()
	if !s.foreign() {
		return nil
	}
	if !utf8.Valid(data) {
		return refusal(&aicf.Gap{}, "AICF-VALC-1", "the text is not UTF-8")
	}
	s.contents.FillRequired()
	return nil
}

func (s *sourceFile) open() (io.Reader, error) {
	return aicf.Expand(io.NewSectionReader(s.src.File, 0, s.src.Size), s.options)
}

// unreadable makes an error of reading a ParseError.
func unreadable(err error) error {
	if _, ok := errors.AsType[*codec.ParseError](err); ok {
		return err
	}
	return &codec.ParseError{Format: aicf.Name, Err: fmt.Errorf("read the file: %w", err)}
}

// entries yields the entries of the file in order. An error comes last.
func (s *sourceFile) entries() iter.Seq2[aicf.Entry, error] {
	return func(yield func(aicf.Entry, error) bool) {
		each := func(e aicf.Entry) bool {
			if err := s.checkEntry(e); err != nil {
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
func (s *sourceFile) scan(each func(aicf.Entry) bool) error {
	in, err := s.open()
	if err != nil {
		return err
	}
	s.scanner = aicf.NewScanner(in, s.options)
	for {
		section, err := s.scanner.Next()
		if err == io.EOF {
			s.lines = s.scanner.Lines()
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		entries, _ := aicf.ReadSection(section)
		for _, e := range entries {
			if !each(e) {
				return nil
			}
		}
	}
}

// checkEntry refuses an entry that no record can hold.
func (s *sourceFile) checkEntry(e aicf.Entry) error {
	if !utf8.ValidString(e.Place().Raw) {
		return refusal(e, "AICF-VALC-1", "the text is not UTF-8")
	}
	if d, ok := e.(*aicf.Declaration); ok {
		if v, known := aicf.ParseVersion(d.Version); known && v.Major() > aicf.V31.Major() {
			err := refusal(e, "AICF-FWD-5", "a file of version "+v.String()+", which is not known here")
			err.Kind = memory.Unsupported
			return err
		}
	}
	return nil
}

// refusal returns the error for an entry.
func refusal(e aicf.Entry, rule, why string) *codec.ParseError {
	err := &codec.ParseError{Format: aicf.Name, Rule: rule, Err: errors.New(why)}
	if line := e.Place().Line; line > 0 {
		err.Path = fmt.Sprintf("line %d", line)
	}
	return err
}

// layout returns the file's layout and odd lines; false: the odd lines are unknown.
func (s *sourceFile) layout() (aicf.Layout, []aicf.OddLine, bool) {
	if s.contents == nil {
		return s.scanner.Layout(), nil, false
	}
	return s.contents.Layout, s.contents.Odd, true
}

// foreign reports whether the file's dialect has no sections. Such a file is kept whole.
func (s *sourceFile) foreign() bool { return s.contents != nil && !s.contents.Dialect.Sections() }
