package codec

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// ParseError says where a document breaks which rule.
type ParseError struct {
	Format string           // name of the format
	File   string           // file in a folder or an archive, if any
	Path   string           // JSON Pointer, or "line 12" in a text format
	Rule   string           // id of the requirement, such as "UMP-2-4"
	Kind   memory.ErrorKind // empty: invalid_record
	Err    error            // what is wrong; never repeats the content of a memory
	// Warning: the document is valid in spite of the fault. Only Validate reports warnings,
	// with Strict.
	Warning bool
}

// Error describes the violation in one line: format, place, what, rule.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString(e.document())
	if e.Path != "" {
		fmt.Fprintf(&b, " at %s", e.Path)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.Rule != "" {
		fmt.Fprintf(&b, " [%s]", e.Rule)
	}
	return b.String()
}

// document names the format, and the file if there are several.
func (e *ParseError) document() string {
	if e.File == "" {
		return e.Format
	}
	return e.Format + " " + e.File
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// As lets errors.As find a [memory.Error] in a ParseError, so that the refusal of a
// document has a kind.
func (e *ParseError) As(target any) bool {
	t, ok := target.(**memory.Error)
	if !ok {
		return false
	}
	kind := e.Kind
	if kind == "" {
		kind = memory.InvalidRecord
	}
	*t = &memory.Error{Kind: kind, Path: e.Path, Rule: e.Rule, Message: e.Error(), Err: e.Err}
	return true
}
