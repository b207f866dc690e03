package aicf

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is an edition of the format: 256 times its major number, plus its minor number.
// The zero Version is none.
type Version uint32

// The editions that are read. [V31] is written, or [V30] on request.
const (
	V10 Version = 1 << 8
	V20 Version = 2 << 8
	V30 Version = 3 << 8
	V31 Version = 3<<8 | 1
)

// Major returns the number before the dot.
func (v Version) Major() int { return int(v >> 8) }

// Minor returns the number after the dot.
func (v Version) Minor() int { return int(v & 0xff) }

// String spells the version as a file declares it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// ParseVersion reads a declared version: major.minor, and anything after another dot or a
// hyphen (AICF-VER-2).
func ParseVersion(text string) (Version, bool) {
	text, _, _ = strings.Cut(text, "-")
	major, rest, found := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.ParseUint(major, 10, 8)
	b, errB := strconv.ParseUint(minor, 10, 8)
	if !found || errA != nil || errB != nil || a == 0 {
		return 0, false
	}
	return Version(a<<8 | b), true
}

// Dialect is one of the forms of context files in use.
type Dialect int

// The dialects, numbered as in the decisions. The first lines of a file show its dialect.
const (
	Spec        Dialect = iota + 1 // D1: numbered lines, as specified
	Core311                        // D2: numbered, @DECISION:id, @WORK:id, metadata in @STATE
	Unnumbered                     // D3: 3.0 without numbers: @FLOW, bare rows
	FirstLine                      // D4: a number on the first line of an entry only
	Compiled                       // D5: @METADATA: and rows
	Alpha                          // D6: version|3.0.0-alpha, key|value
	Watcher                        // D7: @CONVERSATION|id|ts
	Tables                         // D8: 2.0: @SCHEMA, @DATA
	Guide                          // D9: n|CONV|id|messages|tokens
	Rows                           // D10: 1.0: eight fields between pipes
	JSON                           // D11: 1.0: a JSON document
	Transcripts                    // D12: unnumbered 3.1 with @TRANSCRIPT, @COMMANDS
)

// Layout is the form of a file, apart from its content.
type Layout struct {
	Numbering Numbering
	CRLF      bool // lines end in CR LF
	BOM       bool // it begins with a byte order mark
	OpenEnd   bool // its last line has no line feed
	// Source is the file without its byte order mark, in a dialect without sections: its
	// entries have no lines of their own.
	Source string
}

// Numbering says which lines of a file have a number.
type Numbering int

// The ways of numbering.
const (
	Numbered      Numbering = iota // every line
	NotNumbered                    // no line
	EntryNumbered                  // the first line of each entry
)
