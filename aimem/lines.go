package aimem

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// isStreamName reports whether a file is named as one of lines.
func isStreamName(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".ndjson") }

// lines is a bundle in the form of section 3.1: line 1 is the envelope, each other
// line a record that says of which kind it is (decision AD-21).
type lines struct {
	r        io.ReaderAt
	size     int64
	limits   Limits
	envelope *canon.Text
	kinds    []byte // of the records, in the order of the lines; 1 byte each
	broken   error  // the first line that is not strict JSON
	untagged *Fault // the first line that is no record
}

// newLines reads all lines once, to know of which kind they are.
func newLines(src codec.Source, envelope *canon.Text, limits Limits) (*lines, error) {
	d := &lines{r: src.File, size: src.Size, limits: limits, envelope: envelope}
	if between, err := d.between(); err != nil {
		return nil, err
	} else if !between {
		d.broken = &canon.Error{Kind: canon.Syntax, Offset: envelope.Rest(), Err: errSameLine}
		return d, nil
	}
	err := d.scan(envelope.Rest(), func(l line) error { return d.tag(l) })
	if bad, ok := errors.AsType[*canon.Error](err); ok {
		d.broken = bad
		return d, nil
	}
	return d, err
}

var errSameLine = errors.New("a record begins on the line of the envelope")

// between reports whether a line ends between the envelope and what follows it.
func (d *lines) between() (bool, error) {
	end, rest := d.envelope.Root().End, d.envelope.Rest()
	if rest == d.size {
		return true, nil
	}
	in := bufio.NewReader(io.NewSectionReader(d.r, end, rest-end))
	_, err := in.ReadSlice('\n')
	for err == bufio.ErrBufferFull {
		_, err = in.ReadSlice('\n')
	}
	if err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

// tag notes of which kind a line is.
func (d *lines) tag(l line) error {
	v, err := l.read(d.limits)
	if err != nil {
		return err
	}
	kind := v.Get(memberKind)
	for k := range recordKinds {
		if kind.Type() == canon.TypeString && kind.Text() == k.line() {
			d.kinds = append(d.kinds, byte(k))
			return nil
		}
	}
	d.kinds = append(d.kinds, byte(recordKinds))
	if d.untagged == nil {
		d.untagged = untaggedFault(v, l.n)
	}
	return nil
}

func untaggedFault(v canon.Value, n int) *Fault {
	f := &Fault{Code: InvalidType, Rule: "AIMEM-3.1-12", Detail: fmt.Sprintf("record line %d has a _kind that is none of chunk, edge, entity and chunk_entity", n+1)}
	if v.Type() == canon.TypeObject && !v.Has(memberKind) {
		f.Code, f.Detail = MissingField, fmt.Sprintf("record line %d has no _kind", n+1)
	}
	return f
}

func (d *lines) root() *canon.Text { return d.envelope }

func (d *lines) check() error {
	if err := d.envelope.CheckValue(d.envelope.Root()); err != nil {
		return err
	}
	return d.broken
}

func (d *lines) complete() error { return d.broken }

func (d *lines) walk(k recordKind, yield func(record) error) error {
	return d.choose(func(kind recordKind) bool { return kind == k }, yield)
}

func (d *lines) all(yield func(record) error) error {
	return d.choose(func(kind recordKind) bool { return kind < recordKinds }, yield)
}

// choose yields the records of the kinds that are wanted.
func (d *lines) choose(wanted func(recordKind) bool, yield func(record) error) error {
	var count [recordKinds + 1]int
	return d.scan(d.envelope.Rest(), func(l line) error {
		if l.n >= len(d.kinds) {
			return errChanged
		}
		k := recordKind(d.kinds[l.n])
		count[k]++
		if !wanted(k) {
			return nil
		}
		v, inexact, err := read(l.raw, d.limits.Depth)
		if err != nil {
			return err
		}
		return yield(record{k, count[k] - 1, l.at, v.Without(memberKind), inexact, len(l.raw)})
	})
}

var errChanged = errors.New("aimem: the source changed while it was read")

func (d *lines) at(offset int64) (canon.Value, error) {
	var v canon.Value
	err := d.scanBy(4<<10, offset, func(l line) error {
		var err error
		if v, _, err = read(l.raw, d.limits.Depth); err != nil {
			return err
		}
		v = v.Without(memberKind)
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return v, err
}

// payload writes the bundle of the lines, with all four arrays.
func (d *lines) payload(w io.Writer) error {
	text := d.envelope
	parts, err := text.Members(text.Root())
	if err != nil {
		return err
	}
	where := map[string]canon.Extent{}
	names := []string{memberChunks, memberEdges, memberEntities, memberLinks}
	for _, part := range parts {
		if !isWrittenApart(part.Name) && part.Name != memberKind {
			where[part.Name] = part.At
			names = append(names, part.Name)
		}
	}
	slices.SortFunc(names, canon.CompareNames)
	e := &encoder{out: bufio.NewWriterSize(w, 64<<10)}
	_ = e.raw("{")
	for _, name := range names {
		e.name(name)
		if at, ok := where[name]; ok {
			err = text.WriteCanonical(e.out, at)
		} else {
			err = e.array(d.entries(name))
		}
		if err != nil {
			return err
		}
	}
	_ = e.raw("}")
	return e.out.Flush()
}

// entries walks the records of one array.
func (d *lines) entries(array string) func(item func(canon.Value) error) error {
	return func(item func(canon.Value) error) error {
		return d.choose(func(k recordKind) bool { return k < recordKinds && k.array() == array },
			func(r record) error { return item(r.value) })
	}
}
