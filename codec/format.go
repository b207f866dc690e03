package codec

import (
	"io"
	"io/fs"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Format is one way of writing memories down. Read-only formats have neither
// Create nor CreateIn.
type Format struct {
	Name       string   // as given to --from and --to, such as "ump"
	Title      string   // for people: "UMP records (JSON, NDJSON)"
	Extensions []string // usual endings, with the dot, longest first
	// Detect says how surely the source is of this format. It looks at content;
	// a name may only settle a tie.
	Detect func(Source) Confidence
	// Open reads what concerns the document as a whole, in bounded memory.
	Open func(Source, Options) (Reader, error)
	// Create starts a document. Close of the Writer completes it.
	Create func(io.Writer, Options) (Writer, error)
	// Amends says that Create changes a part of a file that others wrote, and leaves the
	// rest: it has to be given what the file holds, as Options.Before.
	Amends bool
	// CreateIn starts a document that is a folder of files. Close of the Writer
	// completes it. Formats that are written as one file only have none.
	CreateIn func(Folder, Options) (Writer, error)
	// Wrote reports whether a file of such a folder, by its path in it, was written by
	// CreateIn, so that it may be removed when its memory is gone. Formats with CreateIn
	// have one.
	Wrote func(name string, data []byte) bool
	// Validate reports every violation, in document order, not just the first.
	// The error is for a source that cannot be read at all.
	Validate func(Source, Options, func(*ParseError)) error
	// Placed says that the names by which records say what they tell of hold only where the
	// document is, such as paths of notes in a folder: another of that name tells of others.
	Placed bool
	// Whole says that a record comes back from the format as it was written.
	Whole bool
	// Declared says what may not survive reading, and writing.
	Declared Declared
}

// Confidence says how surely a source is of a format.
type Confidence int

// Degrees of confidence, from none to proof.
const (
	No       Confidence = iota
	Possible            // nothing speaks against it
	Likely              // it has the shape
	Certain             // it says so itself
)

// Source is a document to read: a file, or a folder of files.
type Source struct {
	Name string      // base name of the file or folder, for messages and ties
	File io.ReaderAt // nil for a folder
	Size int64       // bytes in File
	Tree fs.FS       // nil for a file; never follows a link out of the folder
	// Modified is when the file was last written, zero if unknown. It dates
	// records that carry no date of their own.
	Modified time.Time
}

// Reader yields the records of an opened document.
type Reader interface {
	memory.Archive
	// Losses returns what could not be taken over, complete once Next has
	// returned io.EOF.
	Losses() []Loss
	// Close frees what the reader holds.
	Close() error
}

// Writer takes the records of a document one by one.
type Writer interface {
	// Write appends one record.
	Write(memory.Record) error
	// Close completes the document. It does not close the underlying writer.
	Close() error
	// Losses returns what the format could not express, complete after Close.
	Losses() []Loss
}

// Options steer decoding and encoding. The zero value is safe for input from a
// stranger.
type Options struct {
	Owner   memory.DID       // who will own records that name no owner; empty: the document must
	Now     func() time.Time // dates records without any date; nil: such records are refused
	Project string           // project of records that name none; empty: none
	Limits  Limits
	Strict  bool // Validate judges by the rules for what is written, and reports unknown members and warnings
	NDJSON  bool // Create: one record per line, where the format knows that form
	// Apart says that records will be kept, and forgotten, one by one: Open repeats
	// nothing in one that another says, though the document may not come back as it was.
	Apart bool
	// Mend says that documents of other systems may be written less strictly: half
	// characters, numbers beyond 2^53 and doubled members are mended, with a loss that says
	// so, and of an archive a unit that cannot be read is left out. Open of their formats
	// sets it. False: they are refused, as Validate says.
	Mend bool
	// LeftOut is told each part that a reader leaves out, when it meets the part; nil:
	// [Reader.Losses] alone tells. The reader's own goroutine calls it.
	LeftOut func(Loss)
	// FrontMatterJSON makes Markdown writers put one JSON object between the
	// dashes instead of one member per line.
	FrontMatterJSON bool
	// Before is what the document to be written holds already, for formats that change a
	// part of it and leave the rest; nil: nothing.
	Before []byte
	// Producer names the program that writes a document, where the format says so;
	// empty: the format's own choice.
	Producer string
	// Spool gives room for what a writer must know before its first byte; nil: it is
	// kept in memory. A spool holds memories: only its owner may read it.
	Spool func() (Spool, error)
}
