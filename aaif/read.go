package aaif

import (
	"bytes"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// ReadOptions limit the documents to read. The zero value is safe for input from a
// stranger.
type ReadOptions struct {
	Bytes  int64 // most bytes of a document; 0: [MaxState]
	Depth  int   // most nesting; 0: 64
	Values int   // most values in a document; 0: 200,000
	Name   int   // most bytes of the name of a member; 0: 1024
}

func (o ReadOptions) filled() ReadOptions {
	if o.Bytes == 0 {
		o.Bytes = MaxState
	}
	if o.Depth == 0 {
		o.Depth = 64
	}
	if o.Values == 0 {
		o.Values = 200_000
	}
	if o.Name == 0 {
		o.Name = 1024
	}
	return o
}

// canon keeps the spelling of integers beyond 2^53; [Validator.Validate] warns of them
// (decision R1).
func (o ReadOptions) canon() canon.Options {
	return canon.Options{Bytes: o.Bytes, Depth: o.Depth, Inexact: true}
}

// Read reads a document of any kind from JSON or CBOR, told apart by the first byte.
// [Validator.Validate] checks its content. Errors are of type [codec.ParseError] and wrap
// a [Fault].
func Read(raw []byte, opt ReadOptions) (Document, error) {
	var v canon.Value
	var err error
	if IsCBOR(raw) {
		v, err = FromCBOR(raw, opt)
	} else {
		v, err = FromJSON(raw, opt)
	}
	if err != nil {
		return Document{}, err
	}
	kind := KindOf(v)
	if kind == "" {
		return Document{Value: v}, fault(UnknownType, "2-1", "", "neither an agent, a state, a manifest, a report nor a registry")
	}
	return Document{Kind: kind, Value: v}, nil
}

// FromJSON reads the tree of a document. It refuses duplicate members (AAIF-4-23).
func FromJSON(raw []byte, opt ReadOptions) (canon.Value, error) {
	opt = opt.filled()
	if int64(len(raw)) <= opt.Bytes && hasMore(raw, opt.Values) {
		return canon.Value{}, tooMany(opt)
	}
	v, err := canon.Parse(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")), opt.canon())
	if err != nil {
		return canon.Value{}, jsonError(err)
	}
	return within(v, opt)
}

// hasMore reports whether a text in JSON has so many commas, or arrays and objects, that it
// holds more values than a number. A text of a few megabytes would take hundreds of them as a
// tree, which [within] looks at too late.
func hasMore(raw []byte, most int) bool {
	commas, open := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case ',':
			commas++
		case '[', '{':
			open++
		}
	}
	return commas > most || open > most
}

func tooMany(opt ReadOptions) error {
	return fault(TooLarge, "4-1", "", "made of more than %d values", opt.Values)
}

// within refuses a tree with too many values or too long names.
func within(v canon.Value, opt ReadOptions) (canon.Value, error) {
	count, long := 0, false
	has(v, func(v canon.Value) bool {
		count++
		long = long || slices.ContainsFunc(v.Members(), func(m canon.Member) bool { return len(m.Name) > opt.Name })
		return long || count > opt.Values
	})
	switch {
	case long:
		return canon.Value{}, fault(TooLarge, "4-1", "", "the name of a member is longer than %d bytes", opt.Name)
	case count > opt.Values:
		return canon.Value{}, tooMany(opt)
	}
	return v, nil
}

// jsonError says why JSON was refused.
func jsonError(err error) *codec.ParseError {
	var c *canon.Error
	if !errors.As(err, &c) {
		return fault(NotJSON, "9-1", "", "%v", err)
	}
	switch c.Kind {
	case canon.DuplicateMember:
		return fault(DuplicateKey, "4-23", c.Pointer, "%v", err)
	case canon.TooDeep, canon.TooLarge:
		return fault(TooLarge, "4-1", c.Pointer, "%v", err)
	}
	return fault(NotJSON, "9-1", c.Pointer, "%v", err)
}
