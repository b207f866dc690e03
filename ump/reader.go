package ump

import (
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// reader yields the records of a JSON or NDJSON document, holding one at a time.
type reader struct {
	elements *canon.Elements
	opt      codec.Options
	lim      codec.Limits
	modified time.Time
	count    int
}

var _ codec.Reader = (*reader)(nil)

func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	lim := opt.Limits.Filled()
	switch {
	case src.Tree != nil:
		return openTree(src.Tree, opt)
	case src.File == nil:
		return nil, &memory.Error{Kind: memory.InvalidRecord, Op: "open", Message: "there is neither a file nor a folder to read"}
	}
	if src.Size > lim.Document {
		return nil, tooLarge(formatName, "", lim.Document)
	}
	file := io.NewSectionReader(src.File, 0, src.Size)
	return &reader{elements: canon.NewElements(file, bounds(lim)), opt: opt, lim: lim, modified: src.Modified}, nil
}

func tooLarge(format, file string, limit int64) error {
	return &codec.ParseError{
		Format: format, File: file, Rule: "UMP-4.3-1",
		Err: errors.New("is longer than the limit of " + strconv.FormatInt(limit, 10) + " bytes; split it, or raise the limit"),
	}
}

// Next returns the next record, with the members that a record in a file may lack
// (decision UD-2). A record without an id is a draft, to which [Author] gives one.
func (r *reader) Next() (memory.Record, error) {
	v, base, err := r.next()
	if err != nil {
		return memory.Record{}, err
	}
	d := newDecoder(modeFile, r.opt)
	d.base, d.modified = base, r.modified
	return d.fileRecord(v)
}

// next returns the next element and the pointer to it.
func (r *reader) next() (canon.Value, string, error) {
	raw, err := r.elements.Next()
	if err != nil {
		return canon.Value{}, "", fromCanon(err, formatName, "")
	}
	base := ""
	if r.elements.Layout() != canon.Single {
		base = "/" + strconv.Itoa(r.elements.Index())
	}
	if r.count++; r.count > r.lim.Records {
		return canon.Value{}, "", &codec.ParseError{
			Format: formatName, Path: base, Rule: "UMP-4.3-1",
			Err: errors.New("is one more than the limit of " + strconv.Itoa(r.lim.Records) + " records; split the document, or raise the limit"),
		}
	}
	v, err := canon.Parse(raw, bounds(r.lim))
	if err != nil {
		return canon.Value{}, "", fromCanon(err, formatName, "")
	}
	return v, base, nil
}

// fileRecord reads a record of a file. Its Origin is the record in the file with the
// supplied members.
func (d *decoder) fileRecord(v canon.Value) (memory.Record, error) {
	r := d.record(v)
	if err := d.err(); err != nil {
		return memory.Record{}, err
	}
	if d.filled {
		var err error
		if v, _, err = reconcile(v, &r); err != nil {
			return memory.Record{}, err
		}
	}
	r.Origin = v.Append(nil)
	return r, nil
}

// Losses returns none: the reader keeps the whole document.
func (r *reader) Losses() []codec.Loss { return nil }

// Close does nothing: the caller owns the source.
func (r *reader) Close() error { return nil }

// validate reports every violation of every record. It stops at text that is not
// JSON.
func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	if src.Tree != nil {
		return validateTree(src.Tree, opt, report)
	}
	opened, err := open(src, opt)
	if err != nil {
		return reportViolation(err, report)
	}
	return opened.(*reader).validate(report)
}

// validate reports every violation of the records that are left.
func (r *reader) validate(report func(*codec.ParseError)) error {
	for {
		v, base, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return reportViolation(err, report)
		}
		d := newDecoder(modeComplete, r.opt)
		d.base = base
		d.violations(v)
		for _, e := range d.found {
			report(e)
		}
	}
}

// reportViolation reports a violation, and returns any other error.
func reportViolation(err error, report func(*codec.ParseError)) error {
	e, ok := errors.AsType[*codec.ParseError](err)
	if !ok {
		return err
	}
	report(e)
	return nil
}
