package mapping

import (
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// validateSource reports what is wrong with a file, with Strict also what is unusual, and
// then whether records can be made of it.
func validateSource(forms codec.Forms, src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	s, err := openSourceFile(src, opt)
	if err != nil {
		return reported(err, report)
	}
	findings, err := s.findings(opt)
	if err != nil {
		return reported(err, report)
	}
	valid := true
	for _, f := range findings {
		if f.Severity == aicf.Broken || opt.Strict {
			valid = valid && f.Severity != aicf.Broken
			report(parseError(f, opt.Strict))
		}
	}
	if !valid {
		return nil
	}
	return reported(readThrough(forms, src, opt), report)
}

// findings returns what is wrong or unusual about a file. For a file that is read section
// by section, it covers lines and sections only.
func (s *sourceFile) findings(opt codec.Options) ([]aicf.Finding, error) {
	o := s.options
	o.Strict, o.Partial = opt.Strict, !opt.Strict
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	if s.contents != nil {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, unreadable(err)
		}
		return aicf.Validate(data, o)
	}
	findings, err := aicf.ValidateStream(in, o)
	if err != nil {
		return nil, unreadable(err)
	}
	return findings, nil
}

// parseError returns a finding as a ParseError.
func parseError(f aicf.Finding, strict bool) *codec.ParseError {
	e := &codec.ParseError{Format: aicf.Name, Rule: f.Rule, Err: errors.New(f.Message)}
	if f.Section != "" {
		e.Err = fmt.Errorf("%s: %s", f.Section, f.Message)
	}
	if f.Line > 0 {
		e.Path = fmt.Sprintf("line %d", f.Line)
	}
	e.Warning = f.Severity == aicf.Notice || f.Severity == aicf.Warning && !strict
	return e
}

// readThrough reads all records of a file.
func readThrough(forms codec.Forms, src codec.Source, opt codec.Options) error {
	r, err := openRecords(forms, src, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// reported reports an error that says where it is, and returns any other.
func reported(err error, report func(*codec.ParseError)) error {
	if p, ok := errors.AsType[*codec.ParseError](err); ok {
		report(p)
		return nil
	}
	return err
}
