package notebook

import (
	"cmp"
	"fmt"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// Shape describes how a program keeps notes.
type Shape struct {
	Name     string // of the format
	Title    string // of the format, for people
	Provider string // the system that the notes come from
	Rules    Rules
	Ending   string   // of the names of notes; empty: .md
	Spare    string   // the folder of new notes where a file has the name of theirs; empty: that fails
	Names    []string // of the program's own files and folders, as [codec.Format] has them
	// Find lists the files of a folder that are notes, in the order of reading, and those
	// of the program that are none. Other files are none of this shape's. Nil: every
	// Markdown file is a note, and other files are reported.
	Find func(codec.Source) (notes, others []string, err error)
	// Spell returns properties as YAML, for programs that spell them otherwise. Nil: they
	// are YAML.
	Spell func(front string) string
	// Created and Changed are the properties that date a note, the most reliable first.
	Created, Changed []string
	// Detect says how certain it is that a source has this shape.
	Detect func(codec.Source) codec.Confidence
	// Leave returns a function that says why a note of a folder is not read; empty: the
	// note is read. nil: every note is read.
	Leave func(codec.Source) func(name string) string
	// Read makes memories of a note.
	Read func(*Note)
	// Group names the note that a record comes from; empty: none.
	Group func(memory.Record) string
	// Restore makes the note again that records were read from; ok is false if it cannot.
	// left are the records that have no place in it.
	Restore func([]memory.Record) (note Draft, left []memory.Record, ok bool)
	// Compose makes new notes of records. Each record is in one note.
	Compose func([]memory.Record) ([]Draft, error)
	// Losses are those of this shape, besides those of this package.
	Losses codec.Declared
}

// Rules are the names of the rules of a shape.
type Rules struct{ UTF8, Limit, Source, Draft, Front string }

// Draft is a note to write.
type Draft struct {
	Path    string
	File    markdown.File
	Records []memory.Record // the records that reading the note gives, in this order
	Whole   bool            // the note is exactly as it was read
}

// The losses, in the words of the report. An extension or a count follows those that end in
// a colon.
const (
	lossHidden = "not read: a file or folder whose name begins with a dot holds settings, and no notes"
	lossLink   = "not read: a link to somewhere else"
	lossClosed = "not read: a folder that is closed to this program"
	lossOther  = "files that are no notes: "
	lossEmpty  = "an empty note: nothing to remember"
	lossFront  = "properties that are no plain YAML: they are kept as they are, and say nothing here"
	lossAside  = "not read: another file of the program"
	lossRules  = "not read: rules for assistants; import this file by its own name"

	lossHeld    = "a note of this name is there that was not written from here, or was edited since: it is left as it is"
	lossDate    = "the note has no date: it is dated by its file"
	lossImplied = "when it was learnt and since when it is true: it is when it was made, which is what a note without it means"
	lossUnread  = "too long to be read again: it is left out"
	lossBlank   = "a text of blank space alone: nothing to write"
)

// Format returns the format of a shape.
func (s *Shape) Format() codec.Format {
	return codec.Format{
		Name:       s.Name,
		Title:      s.Title,
		Extensions: []string{s.ending()},
		Detect:     s.Detect,
		Open:       s.open,
		CreateIn:   s.createIn,
		Wrote:      s.mark().Wrote,
		Validate:   s.validate,
		Names:      s.Names,
		Placed:     true,
		Beside:     s.Find != nil,
		Declared: codec.Declared{
			Reading: append(s.lossesOfReading(), s.Losses.Reading...),
			Writing: append([]string{codec.NotHeld, codec.NoPlace, lossHeld, lossDate, lossImplied, lossUnread, lossBlank}, s.Losses.Writing...),
		},
	}
}

// lossesOfReading returns the losses of reading that the shape shares with others.
func (s *Shape) lossesOfReading() []string {
	list := []string{codec.LostUnit, lossEmpty, lossFront}
	if s.Find != nil {
		return append(list, lossAside)
	}
	return append(list, lossHidden, lossLink, lossClosed, lossOther+"…", lossRules)
}

// mark is that of the notes which Satchel writes.
func (s *Shape) mark() markdown.Mark { return markdown.Mark{Ending: s.Ending, Spell: s.Spell} }

func (s *Shape) ending() string { return cmp.Or(s.Ending, ".md") }

// violation returns the error of a file that breaks a rule; line 0 is the whole file.
func (s *Shape) violation(rule, file string, line int, err error) *codec.ParseError {
	p := &codec.ParseError{Format: s.Name, File: file, Rule: rule, Err: err}
	if line > 0 {
		p.Path = fmt.Sprintf("line %d", line)
	}
	return p
}
