package aicf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Severity says what a finding means for the file.
type Severity int

// The severities.
const (
	Warning Severity = iota // read all the same; an error with strictness
	Broken                  // the format requires something else
	Notice                  // worth knowing, and never an error: an unknown section, a temporary state
)

// String names the severity.
func (s Severity) String() string {
	return [...]string{Warning: "warning", Broken: "error", Notice: "notice"}[s]
}

// Finding is a fault or an oddity of a file.
type Finding struct {
	Line     int    // line in the file, from 1; 0: the whole file
	Section  string // such as "CONVERSATION conv_001"; empty: none
	Code     string // for programs, such as "line-number"
	Rule     string // id of the requirement, such as "AICF-VALS-1"
	Severity Severity
	Message  string // what was expected and found; a value only if the format lists the possible ones
}

// String renders the finding in one line.
func (f Finding) String() string {
	text := fmt.Sprintf("%s [%s]", f.Message, f.Rule)
	if f.Section != "" {
		text = f.Section + ": " + text
	}
	if f.Line > 0 {
		text = fmt.Sprintf("line %d: %s", f.Line, text)
	}
	return text
}

// Fatal reports whether the findings make a file invalid: anything broken, and with strict
// any warning.
func Fatal(findings []Finding, strict bool) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		return f.Severity == Broken || strict && f.Severity == Warning
	})
}

// Codes of the findings about meaning.
const (
	codeDimension      = "dimension"
	codeElided         = "elided-vector"
	codeEnum           = "enum"
	codeFeature        = "feature"
	codeFieldSyntax    = "field-syntax"
	codeForm           = "entry-form"
	codeMissing        = "missing-section"
	codeOrder          = "time-order"
	codePipe           = "pipe"
	codeRange          = "range"
	codeReference      = "reference"
	codeRepeatedID     = "repeated-id"
	codeRepeatedKey    = "repeated-key"
	codeRequired       = "required"
	codeScope          = "scope"
	codeTemporary      = "temporary"
	codeUnknownField   = "unknown-field"
	codeUnknownSection = "unknown-section"
	codeValue          = "value"
	codeVersionValue   = "version"
)

// quoted quotes a word for a message, and shortens a long one.
func quoted(word string) string {
	const most = 64
	if len(word) > most {
		word = strings.ToValidUTF8(word[:most], "") + "…"
	}
	return strconv.Quote(word)
}
