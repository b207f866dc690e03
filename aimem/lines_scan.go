package aimem

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/satchel-memory/satchel/canon"
)

// line is one record as it lies in the stream.
type line struct {
	n   int // among the records
	at  int64
	raw []byte // good until the next
}

// read parses a line, as deep in it as the limit allows in the bundle it stands for.
func (l line) read(limits Limits) (canon.Value, error) {
	v, err := canon.Parse(l.raw, canon.Options{Bytes: int64(len(l.raw)) + 1, Depth: max(1, limits.Depth-2), Inexact: true})
	if e, ok := errors.AsType[*canon.Error](err); ok {
		e.Offset += l.at
	}
	return v, err
}

// scan yields the lines from an offset on, except for blank ones.
func (d *lines) scan(from int64, yield func(line) error) error {
	return d.scanBy(64<<10, from, yield)
}

// scanBy is scan, reading so many bytes at a time.
func (d *lines) scanBy(window int, from int64, yield func(line) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(d.r, from, d.size-from), window)
	var buf []byte
	for n, at := 0, from; ; {
		raw, err := readLine(in, &buf, d.limits.Record)
		if err != nil && err != io.EOF {
			if errors.Is(err, bufio.ErrBufferFull) {
				return tooLarge("")
			}
			return err
		}
		if len(bytes.TrimSpace(raw)) > 0 {
			if err := yield(line{n, at, raw}); err != nil {
				return err
			}
			n++
		}
		if err == io.EOF {
			return nil
		}
		at += int64(len(raw))
	}
}

// readLine reads up to the end of the line, which is included. One that is longer
// than the limit is bufio.ErrBufferFull. What it returns is good until the next
// call.
func readLine(in *bufio.Reader, buf *[]byte, limit int64) ([]byte, error) {
	raw, err := in.ReadSlice('\n')
	whole := raw
	if err == bufio.ErrBufferFull {
		whole = (*buf)[:0]
	}
	for err == bufio.ErrBufferFull && int64(len(whole)) <= limit {
		whole = append(whole, raw...)
		raw, err = in.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			whole = append(whole, raw...)
		}
		*buf = whole
	}
	if int64(len(whole)) > limit+1 {
		return nil, bufio.ErrBufferFull
	}
	return whole, err
}
