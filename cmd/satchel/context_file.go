package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// contextFlags say how a context file is written.
type contextFlags struct {
	FormatVersion string `name:"format-version" enum:",3.0,3.1" default:"" help:"For a context file: the version to write, 3.1 or 3.0. Version 3.0 cannot hold everything. Default: 3.1." placeholder:"V"`
	Redact        bool   `help:"For a context file: replace mail addresses, telephone numbers and secrets by tokens, and leave out whole records."`
}

// contextOut is a context file on its way out.
type contextOut struct {
	contextFlags
	packed  bool // its name says so
	applies bool // it is a context file

	counts aicf.Counts // what may be personal or secret, replaced or not
	losses []codec.Loss
}

// writing begins a document of a format in a file of that name.
func (f contextFlags) writing(to codec.Format, path string) (*contextOut, error) {
	out := &contextOut{contextFlags: f, applies: to.Name == contextFiles, counts: aicf.Counts{}}
	if !out.applies && f != (contextFlags{}) {
		return nil, usagef("--format-version and --redact are for context files; say --to %s", contextFiles)
	}
	out.packed = out.applies && strings.HasSuffix(strings.ToLower(path), aicf.Extension+".gz")
	return out, nil
}

// saw takes a record in that is written.
func (f *contextOut) saw(rec memory.Record) {
	if f.applies && !f.Redact {
		_, counts := redactor().Text(rec.Body.Text)
		f.counts.Add(counts)
	}
}

// through lets what fill writes out, as the flags and the name of the file ask for.
func (f *contextOut) through(out io.Writer, fill func(io.Writer) error) error {
	if f.packed {
		packed := gzip.NewWriter(out)
		return errors.Join(f.rewritten(packed, fill), packed.Close())
	}
	return f.rewritten(out, fill)
}

func (f *contextOut) rewritten(out io.Writer, fill func(io.Writer) error) error {
	if f.contextFlags == (contextFlags{}) {
		return fill(out)
	}
	var whole bytes.Buffer
	if err := fill(&whole); err != nil {
		return err
	}
	file, err := aicf.Parse(whole.Bytes(), aicf.Options{})
	if err != nil {
		return err
	}
	c, _ := aicf.Read(file, aicf.Options{})
	if f.Redact {
		f.counts, f.losses = redactFile(c, always)
	}
	how := aicf.WriteOptions{Preserve: true}
	if f.FormatVersion == aicf.V30.String() {
		how = aicf.WriteOptions{Version: aicf.V30}
	}
	losses, err := aicf.EncodeTo(out, c, how)
	f.losses = append(f.losses, losses...)
	return err
}
