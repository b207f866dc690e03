package aicf

import (
	"cmp"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/codec"
)

// Sizes that lead to a warning (AICF-SIZE-1 to -3). [Limits] says what is refused.
const (
	largeFile = 100 << 20
	longLine  = 1 << 20
	longField = 64 << 10
)

// Limits bound a file. A reader refuses larger files and cuts nothing short.
type Limits struct {
	File     int64 // bytes, unpacked; zero: 1 GiB
	Line     int   // bytes of a line, and in a [Scanner] of a section; zero: 64 MiB
	Field    int   // bytes of a value; zero: 16 MiB
	Sections int   // zero: 10 million
	Findings int   // most findings that are returned; further ones are counted; zero: 100,000
}

// Options configure reading. The zero Options is safe for a file from a stranger.
type Options struct {
	Limits
	Strict  bool // a warning counts as an error
	Partial bool // a file need not have a conversation
	Force   bool // accepts a file of a later major version
	// Modified is when the file was last written. [Migrate] gives this time to conversations
	// that have none. Zero: they stay without.
	Modified time.Time
}

// withDefaults fills in the limits that are zero.
func (l Limits) withDefaults() Limits {
	return Limits{
		File: cmp.Or(l.File, 1<<30), Line: cmp.Or(l.Line, 64<<20), Field: cmp.Or(l.Field, 16<<20),
		Sections: cmp.Or(l.Sections, 10_000_000), Findings: cmp.Or(l.Findings, 100_000),
	}
}

// TooLarge returns the error for an exceeded limit. Line 0 is the whole file.
func TooLarge(line int, rule, what string, limit int64) error {
	e := &codec.ParseError{Format: Name, Rule: rule, Err: fmt.Errorf("%s exceeds maximum size, %d; raise the limit to read it", what, limit)}
	if line > 0 {
		e.Path = fmt.Sprintf("line %d", line)
	}
	return e
}

// Name is the name of the format, and of its residue in records.
const Name = "aicf"

// Extension is the usual ending of context files.
const Extension = ".aicf"
