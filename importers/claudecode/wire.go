package claudecode

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// noteFile is one file of a memory folder.
type noteFile struct {
	Name        string      // "name"
	Description string      // "description"
	Type        string      // "type", there or under "metadata"
	Front       canon.Value // the whole front matter; undefined without one
	Body        string
}

// role is the use of a file: notes, rules or an index.
type role int

const (
	aNote role = iota
	anIndex
	aRules
)

// document is one file that the source itself names, without imports.
type document struct {
	path  string // in the folder; empty if the source is one file
	role  role
	notes map[string]bool // for an index: the files beside it
}

// block is one record of a file of rules or an index, or an import.
type block struct {
	line   int      // from 1
	heads  []string // headings above it, outermost first
	titled bool     // the first heading is of the first level
	lead   string   // the line that introduces its list, with the colon
	kind   string   // "bullet", "number", "paragraph"
	text   string
	memory *blockMemory // for a memory between the marks
	path   string       // for an import: the path as written; text is then empty
}

// The rules of this format, as the package comment lists them.
const (
	ruleUTF8   = "CLAUDE-1"
	ruleFront  = "CLAUDE-2"
	ruleNote   = "CLAUDE-3"
	ruleLimit  = "CLAUDE-7"
	ruleSource = "CLAUDE-8"
	ruleDraft  = "CLAUDE-9"
	ruleMarks  = "CLAUDE-10"
)

func violation(rule, file string, line int, err error) *codec.ParseError {
	p := &codec.ParseError{Format: formatName, File: file, Rule: rule, Err: err}
	if line > 0 {
		p.Path = fmt.Sprintf("line %d", line)
	}
	return p
}

// isViolation distinguishes a broken rule from a broken disk.
func isViolation(err error) (*codec.ParseError, bool) { return errors.AsType[*codec.ParseError](err) }
