package ump

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

const (
	formatName   = "ump"
	markdownName = "ump-md"
)

// findings gathers the violations of one record. The zero findings is empty.
type findings struct {
	format string // name of the format, for messages; empty: "ump"
	file   string // file within a folder
	base   string // pointer to the record within its document
	found  []*codec.ParseError
}

// add reports that the value at path breaks rule. It reports each place once: after
// a wrong type or a missing object it reports no missing values in it.
func (f *findings) add(rule, path, message string) {
	f.refuse(memory.InvalidRecord, rule, path, message)
}

// refuse is add for violations of another kind than invalid_record.
func (f *findings) refuse(kind memory.ErrorKind, rule, path, message string) {
	path = f.base + path
	for _, e := range f.found {
		if path == e.Path || strings.HasPrefix(path, e.Path+"/") {
			return
		}
	}
	f.found = append(f.found, &codec.ParseError{
		Format: f.name(), File: f.file, Path: path, Rule: rule, Kind: kind, Err: errors.New(message),
	})
}

func (f *findings) name() string {
	if f.format == "" {
		return formatName
	}
	return f.format
}

// err returns the first violation, if there is one.
func (f *findings) err() error {
	if len(f.found) == 0 {
		return nil
	}
	return f.found[0]
}

// tooLong returns the message for a value beyond a limit.
func tooLong(limit int) string {
	return fmt.Sprintf("is longer than the limit of %d; shorten it, or raise the limit", limit)
}

// fromCanon turns an error of the JSON parser into a violation of section 6.1, or of
// section 2 if the text is not JSON. It returns errors of the medium unchanged.
func fromCanon(err error, format, file string) error {
	c, ok := errors.AsType[*canon.Error](err)
	if !ok {
		return err
	}
	e := &codec.ParseError{Format: format, File: file, Path: c.Pointer, Err: withoutPointer(c)}
	switch c.Kind {
	case canon.Syntax:
		e.Rule = "UMP-2-28"
	case canon.DuplicateMember, canon.LoneSurrogate, canon.InvalidUTF8, canon.NumberOverflow, canon.IntegerInexact:
		e.Rule = "UMP-6.1-6"
	case canon.TooDeep, canon.TooLarge:
		e.Rule = "UMP-1-6" // every input is bounded
	}
	return e
}

// withoutPointer returns the parser's error without its pointer, because the
// violation has its own member Path.
func withoutPointer(c *canon.Error) error {
	plain := *c
	plain.Pointer = ""
	return &plain
}
