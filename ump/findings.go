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

// add reports that the value at path breaks rule. One place is reported once: a
// wrong type, or an object that is missing, is not reported again as missing
// values.
func (f *findings) add(rule, path, message string) {
	f.refuse(memory.InvalidRecord, rule, path, message)
}

// refuse is add for a violation that is not of kind invalid_record.
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

// tooLong words the refusal of a value beyond a limit.
func tooLong(limit int) string {
	return fmt.Sprintf("is longer than the limit of %d; shorten it, or raise the limit", limit)
}

// fromCanon turns a refusal of the JSON reader into a violation of section 6.1,
// or of section 2 where it is not JSON at all. Errors of the medium stay as
// they are.
func fromCanon(err error, format, file string) error {
	c, ok := errors.AsType[*canon.Error](err)
	if !ok {
		return err
	}
	e := &codec.ParseError{Format: format, File: file, Path: c.Pointer, Err: wordJSON(c)}
	switch c.Kind {
	case canon.Syntax:
		e.Rule = "UMP-2-28"
	case canon.DuplicateMember, canon.LoneSurrogate, canon.InvalidUTF8, canon.NumberOverflow, canon.IntegerInexact:
		e.Rule = "UMP-6.1-6"
	case canon.TooDeep, canon.TooLarge:
		e.Rule = "UMP-1-6" // whatever comes in is bounded
	}
	return e
}

// wordJSON words what is wrong with a text without its pointer, which the
// violation has a member for.
func wordJSON(c *canon.Error) error {
	plain := *c
	plain.Pointer = ""
	return &plain
}
