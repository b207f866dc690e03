package aicf

import (
	"cmp"
	"fmt"

	"github.com/satchel-memory/satchel/codec"
)

// Sizes beyond which a file is unusual (AICF-SIZE-1 to -3). They lead to a warning;
// what is refused, [Limits] says.
const (
	largeFile  = 100 << 20
	longLine   = 1 << 20
	longField  = 64 << 10
	formatName = "aicf"
)

// Limits is what is refused. Nothing is ever cut short instead.
type Limits struct {
	File     int64 // bytes, unpacked; zero: 1 GiB
	Line     int   // bytes of a line, and in a [Scanner] of a section; zero: 64 MiB
	Field    int   // bytes of a value; zero: 16 MiB
	Sections int   // zero: 10 million
	Findings int   // findings that are told; those beyond are counted only; zero: 100,000
}

// Options says how to read. The zero Options is safe for a file from a stranger.
type Options struct {
	Limits
	Strict  bool // what is a warning counts as an error
	Partial bool // a file need not have a conversation
	Force   bool // a file of a later major version is read all the same
}

// withDefaults puts the limits in that were left open.
func (l Limits) withDefaults() Limits {
	return Limits{
		File: cmp.Or(l.File, 1<<30), Line: cmp.Or(l.Line, 64<<20), Field: cmp.Or(l.Field, 16<<20),
		Sections: cmp.Or(l.Sections, 10_000_000), Findings: cmp.Or(l.Findings, 100_000),
	}
}

// tooLarge is the refusal of what exceeds a limit. Line 0 is the file as a whole.
func tooLarge(line int, rule, what string, limit int64) error {
	e := &codec.ParseError{Format: formatName, Rule: rule, Err: fmt.Errorf("%s exceeds maximum size, %d; raise the limit to read it", what, limit)}
	if line > 0 {
		e.Path = fmt.Sprintf("line %d", line)
	}
	return e
}
