package openmemory

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// The rules of the package comment.
const (
	ruleJSON   = "OPENMEM-1"
	ruleMemory = "OPENMEM-2"
	ruleMember = "OPENMEM-3"
	ruleDate   = "OPENMEM-4"
	ruleTable  = "OPENMEM-5"
	ruleLimit  = "OPENMEM-6"
	ruleDraft  = "OPENMEM-7"
)

var rules = codec.Rules{Format: formatName, JSON: ruleJSON, Limit: ruleLimit}

// document is an opened document.
type document struct {
	*codec.JSONReader
	in       io.Closer     // the open file; nil: it is the caller's
	lines    io.Reader     // of memories; nil: the document is an object of tables
	tables   []canon.Part  // of such an object
	memories *canon.Extent // the memories in the tables; nil: there are none
	known    names
}

// reader is a reader that closes its file.
type reader struct {
	codec.Reader
	d *document
}

// Close implements [codec.Reader].
func (r reader) Close() error { return errors.Join(r.Reader.Close(), r.d.close()) }

func open(src codec.Source, opt codec.Options) (codec.Reader, error) {
	opt.Strict, opt.Mend = false, true
	d, err := newDocument(src, opt)
	if err != nil {
		return nil, errors.Join(d.within(err), d.close())
	}
	return reader{codec.WalkReader(d.Salvaged(d.walk), d.Losses), d}, nil
}

func validate(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
	d, err := newDocument(src, opt)
	return errors.Join(codec.ValidateWalk(d.walk, d.within(err), report), d.close())
}

func (d *document) close() error {
	if d.in == nil {
		return nil
	}
	return d.in.Close()
}

// within adds the file of the folder to an error.
func (d *document) within(err error) error {
	if p, ok := errors.AsType[*codec.ParseError](err); ok && p.File == "" {
		p.File = d.File
	}
	return err
}

// newDocument finds the file, and its content (OPENMEM-1).
func newDocument(src codec.Source, opt codec.Options) (*document, error) {
	in, err := rules.Begin(src, opt, ruleDraft)
	d := &document{JSONReader: in, known: newNames()}
	if err == nil && src.Tree != nil {
		src, err = d.enter(src)
	}
	if err != nil {
		return d, err
	}
	if src.File == nil {
		return d, rules.Violation(ruleJSON, "", errors.New("neither a file nor a folder"))
	}
	if src.Size > d.Options.Limits.Document {
		return d, rules.Violation(ruleLimit, "", fmt.Errorf("more than %d bytes; raise the limit", d.Options.Limits.Document))
	}
	if head, ok := src.ObjectHead(); d.lines == nil && ok && isLine(head) {
		d.lines = io.NewSectionReader(src.File, 0, src.Size)
	}
	if d.lines != nil {
		return d, nil
	}
	if err = d.Take(src); err != nil {
		return d, err
	}
	return d, d.outline()
}

// enter opens the file to read in a folder.
func (d *document) enter(src codec.Source) (codec.Source, error) {
	name, err := find(src.Tree)
	if err != nil {
		return src, rules.Violation(ruleJSON, "", errors.New("no memories.json in it; name the backup itself, or the folder it was unpacked to"))
	}
	d.File = name
	f, err := src.Tree.Open(name)
	if err != nil {
		return src, fmt.Errorf("open %s: %w", name, err)
	}
	d.in = f
	info, err := f.Stat()
	if err != nil {
		return src, fmt.Errorf("open %s: %w", name, err)
	}
	at, ok := f.(io.ReaderAt)
	if !ok || !info.Mode().IsRegular() {
		return src, rules.Violation(ruleJSON, "", errors.New("no file that can be read in place; unpack it first"))
	}
	if strings.HasSuffix(name, ".gz") {
		if d.lines, err = unpacked(f, name); err != nil {
			return src, rules.Violation(ruleJSON, "", errors.New("cannot be unpacked"))
		}
		d.lines = &boundedReader{in: d.lines, left: d.Options.Limits.Document}
	}
	return codec.Source{Name: name, File: at, Size: info.Size()}, nil
}

// unpacked returns the content of a file, which is packed if its name says so.
func unpacked(in io.Reader, name string) (io.Reader, error) {
	if !strings.HasSuffix(name, ".gz") {
		return in, nil
	}
	return gzip.NewReader(in)
}

// boundedReader fails after a limit of bytes: packed data may be longer than it seems.
type boundedReader struct {
	in   io.Reader
	left int64
}

// Read implements [io.Reader].
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, rules.Violation(ruleLimit, "", errors.New("unpacks to more than may be read; raise the limit"))
	}
	if err != nil && err != io.EOF {
		err = rules.Violation(ruleJSON, "", errors.New("cannot be unpacked to its end"))
	}
	return n, err
}

// walk yields the records of the memories.
func (d *document) walk(yield func(memory.Record, error) bool) {
	hand := func(r memory.Record, err error) bool { return yield(r, d.within(err)) }
	switch {
	case d.lines != nil:
		d.Each(d.Lines(d.lines), d.memory, hand)
	case d.readTables(hand) && d.memories != nil:
		d.Each(d.Items(*d.memories, "/memories"), d.memory, hand)
	}
}
