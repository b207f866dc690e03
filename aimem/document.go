package aimem

import (
	"errors"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// recordKind tells the four arrays of a bundle apart.
type recordKind int

const (
	chunkRecord recordKind = iota
	edgeRecord
	entityRecord
	linkRecord
	recordKinds
)

// array returns the member of the bundle that holds records of the kind.
func (k recordKind) array() string {
	return [...]string{memberChunks, memberEdges, memberEntities, memberLinks}[k]
}

// line returns what lines of the kind are tagged with.
func (k recordKind) line() string {
	return [...]string{lineChunk, lineEdge, lineEntity, lineLink}[k]
}

// record is one entry of one of the arrays.
type record struct {
	kind    recordKind
	n       int   // its index in the array
	at      int64 // where it lies in the document
	value   canon.Value
	inexact string // pointer to an integer beyond 2^53; empty: there is none
	size    int    // of its text, in bytes
}

// document finds the parts of a bundle. It is not checked yet, but walking it fails at text
// that is not strict JSON.
type document interface {
	// check finds the first thing of the document, in its order, that is not strict
	// JSON.
	check() error
	// root returns the text that has the envelope.
	root() *canon.Text
	// walk yields the records of one kind in their order.
	walk(k recordKind, yield func(record) error) error
	// all yields all records in the order of the document.
	all(yield func(record) error) error
	// at reads the record that lies at an offset.
	at(offset int64) (canon.Value, error)
	// complete finds what keeps the document from being the bundle and nothing else.
	complete() error
	// payload writes the canonical form of the bundle without its checksum.
	payload(w io.Writer) error
}

// reading is how the JSON of a document is read.
func (l Limits) reading() canon.Options {
	return canon.Options{Bytes: l.Record, Depth: l.Depth, Inexact: true}
}

// newDocument finds out how a bundle lies in its source.
func newDocument(src codec.Source, o Options) (document, error) {
	if src.File == nil {
		return nil, &Fault{Code: NotJSON, Rule: "AIMEM-2-1", Detail: "a folder is no bundle; name the file"}
	}
	if limit := o.Limits.Document; src.Size > limit {
		return nil, &Fault{Code: BodyTooLarge, Rule: "AD-9", Detail: "the document is larger than the limit; raise it or export less at a time"}
	}
	text, err := canon.NewText(src.File, 0, src.Size, o.Limits.reading())
	if err != nil {
		return nil, err
	}
	stream := o.Stream == Lines
	if o.Stream == ByContent {
		if stream, err = isStream(src, text); err != nil {
			return nil, err
		}
	}
	if !stream {
		return &single{text: text}, nil
	}
	return newLines(src, text, o.Limits)
}

// isStream reports whether a document is one of lines: an object follows the first,
// or it is the only one and the file is named as streams are.
func isStream(src codec.Source, text *canon.Text) (bool, error) {
	if text.Rest() == src.Size {
		return isStreamName(src.Name), nil
	}
	first, err := text.Opening(text.Root())
	if err != nil || first != '{' {
		return false, err
	}
	next, err := text.Opening(canon.Extent{Start: text.Rest(), End: src.Size})
	return next == '{', err
}

// read parses a record, and says where it has an integer beyond 2^53.
func read(raw []byte, depth int) (v canon.Value, inexact string, err error) {
	opt := canon.Options{Bytes: int64(len(raw)) + 1, Depth: depth}
	v, err = canon.Parse(raw, opt)
	if e, ok := errors.AsType[*canon.Error](err); ok && e.Kind == canon.IntegerInexact {
		opt.Inexact = true
		v, err = canon.Parse(raw, opt)
		if n, _ := v.At(e.Pointer); err == nil && !canon.Identical(n, canon.Number(n.Float())) {
			return v, e.Pointer, nil
		}
	}
	return v, "", err
}

// tooLarge is the fault of a record that is not held.
func tooLarge(pointer string) *Fault {
	return &Fault{Code: BodyTooLarge, Pointer: pointer, Rule: "AD-9", Detail: "the record is larger than the limit; raise it or shorten the record"}
}
