package aimem

import (
	"errors"
	"io"

	"github.com/satchel-memory/satchel/codec"
)

func openRecords(forms codec.Forms, src codec.Source, opt codec.Options) (codec.Reader, error) {
	b, err := Open(byContent(src), readOptions(opt))
	if err != nil {
		return nil, err
	}
	return newRecordReader(forms, b, b.Checksum(), opt, b.Close), nil
}

// readOptions are the options of a stateless reading: ids of other namespaces do no
// harm where nothing is stored.
func readOptions(opt codec.Options) Options {
	lim := opt.Limits
	return Options{ForeignIDs: true, Limits: Limits{Document: lim.Document, Record: lim.Record, Depth: lim.Depth}}
}

// byContent takes the name from a document that has all in one object, whatever it is
// called: a stream of no records has nothing but an envelope.
func byContent(src codec.Source) codec.Source {
	if src.File == nil {
		return src
	}
	if head, err := src.Head(); err == nil && hasMember(head, memberChunks) {
		src.Name = ""
	}
	return src
}

// validateSource reports what breaks the rules of a bundle, in the order of decision
// AD-3, and then what goes beyond limits that were set for its records.
func validateSource(forms codec.Forms, src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	found := false
	err := Validate(byContent(src), readOptions(opt), func(f *Fault) {
		found = true
		report(f.parse())
	})
	lim := opt.Limits
	if err != nil || found || lim.Text == 0 && lim.Name == 0 && lim.Items == 0 && lim.Records == 0 {
		return err
	}
	r, err := openRecords(forms, src, opt)
	if err != nil {
		return err
	}
	defer r.Close()
	for err == nil {
		_, err = r.Next()
	}
	if e, ok := errors.AsType[*codec.ParseError](err); ok {
		report(e)
		return nil
	}
	if err == io.EOF {
		return nil
	}
	return err
}
