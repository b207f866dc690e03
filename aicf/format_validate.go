package aicf

import (
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/codec"
)

// validateSource reports what is wrong with a file, and with Strict also what is unusual;
// then whether records can be made of it.
func validateSource(forms codec.Forms, src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	s, err := openScript(src, opt)
	if err != nil {
		return reported(err, report)
	}
	findings, err := s.findings(opt)
	if err != nil {
		return reported(err, report)
	}
	valid := true
	for _, f := range findings {
		if f.Severity == Broken || opt.Strict {
			valid = valid && f.Severity != Broken
			report(f.parseError(opt.Strict))
		}
	}
	if !valid {
		return nil
	}
	return reported(readThrough(forms, src, opt), report)
}

// findings returns all that is wrong or unusual about a file. Of one that is read section
// by section it is what concerns a line or a section.
func (s *script) findings(opt codec.Options) ([]Finding, error) {
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
		return Validate(data, o)
	}
	all := log{most: o.Limits.withDefaults().Findings}
	scanner := NewScanner(in, o)
	for {
		section, err := scanner.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unreadable(err)
		}
		entries, read := ReadSection(section)
		k := checking{log: log{most: all.most}, options: o}
		for _, e := range entries {
			k.entry = e
			k.one(e)
		}
		for _, f := range append(read, k.log.told...) {
			all.add(f)
		}
	}
	for _, f := range scanner.Findings() {
		all.add(f)
	}
	return all.inOrder(), nil
}

// parseError is a finding as other formats report theirs.
func (f Finding) parseError(strict bool) *codec.ParseError {
	e := &codec.ParseError{Format: formatName, Rule: f.Rule, Err: errors.New(f.Message)}
	if f.Section != "" {
		e.Err = fmt.Errorf("%s: %s", f.Section, f.Message)
	}
	if f.Line > 0 {
		e.Path = fmt.Sprintf("line %d", f.Line)
	}
	e.Warning = f.Severity == Notice || f.Severity == Warning && !strict
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
