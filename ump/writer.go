package ump

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

var errClosed = errors.New("ump: the document is closed")

// writer writes each record immediately. The same records give the same bytes
// (UMP-4.3-7).
type writer struct {
	out    io.Writer
	lines  bool
	count  int
	buf    []byte
	losses []codec.Loss
	err    error // of the medium, or errClosed; no record can follow
}

var _ codec.Writer = (*writer)(nil)

func create(out io.Writer, opt codec.Options) (codec.Writer, error) {
	return &writer{out: out, lines: opt.NDJSON}, nil
}

// Write appends one record. It leaves the document unchanged if the record cannot be
// encoded.
func (w *writer) Write(r memory.Record) error {
	if w.err != nil {
		return w.err
	}
	v, losses, err := encode(&r)
	if err != nil {
		return fmt.Errorf("writing record %d: %w", w.count, err)
	}
	w.losses = append(w.losses, losses...)
	w.buf = w.appendRecord(w.buf[:0], v)
	w.count++
	_, w.err = w.out.Write(w.buf)
	return w.err
}

func (w *writer) appendRecord(dst []byte, v canon.Value) []byte {
	if w.lines {
		return append(v.Append(dst), '\n')
	}
	if w.count == 0 {
		dst = append(dst, "[\n  "...)
	} else {
		dst = append(dst, ",\n  "...)
	}
	// JSON strings contain no line breaks.
	indented := bytes.ReplaceAll(v.AppendIndent(nil, "  "), []byte("\n"), []byte("\n  "))
	if int64(len(indented)) > (codec.Limits{}).Filled().Record { // too long for readers when indented
		return v.Append(dst)
	}
	return append(dst, indented...)
}

// Close ends the array. NDJSON needs no end.
func (w *writer) Close() error {
	if w.err != nil {
		return w.err
	}
	end := "\n]\n"
	switch {
	case w.lines:
		end = ""
	case w.count == 0:
		end = "[]\n"
	}
	if _, err := io.WriteString(w.out, end); err != nil {
		w.err = err
		return err
	}
	w.err = errClosed
	return nil
}

// Losses returns the losses of all records.
func (w *writer) Losses() []codec.Loss { return w.losses }
