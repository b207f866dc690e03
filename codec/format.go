package codec

import (
	"io"
	"io/fs"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Format is a file format for memories. A read-only format has neither Create nor CreateIn.
type Format struct {
	Name       string   // the name for --from and --to, such as "ump"
	Title      string   // for people: "UMP records (JSON, NDJSON)"
	Extensions []string // usual file extensions, with the dot, longest first
	// Detect says how certain it is that the source has this format. It looks at the
	// content; a file name may only settle a tie.
	Detect func(Source) Confidence
	// Open reads the parts that concern the whole document, in bounded memory.
	Open func(Source, Options) (Reader, error)
	// Create starts a document. Close of the Writer completes it.
	Create func(io.Writer, Options) (Writer, error)
	// Amends says that Create changes one part of a file that others wrote, and keeps the
	// rest. Options.Before must hold the file's present content.
	Amends bool
	// CreateIn starts a document that is a folder of files. Close of the Writer completes
	// it. It is nil for formats that write one file only.
	CreateIn func(Folder, Options) (Writer, error)
	// Names are those of the files and folders that the tool keeps in a project's folder, as
	// [path.Match] has them, where CreateIn writes into the project's folder. They say which
	// tool a path is for, and are not what CreateIn is given.
	Names []string
	// Wrote reports whether CreateIn wrote a file of such a folder, so that Satchel may
	// remove it when its memory is gone. name is the path in the folder. Every format with
	// CreateIn has one.
	Wrote func(name string, data []byte) bool
	// Validate reports every violation in document order, not only the first. It returns an
	// error for a source that cannot be read at all.
	Validate func(Source, Options, func(*ParseError)) error
	// Placed says that the source references in records hold only within their document,
	// such as the paths of notes in a folder. The same reference in another folder means
	// something else.
	Placed bool
	// Beside says that in a folder the format reads only the files that it knows by name,
	// beside those of others. One folder may hold several such formats.
	Beside bool
	// Whole says that the format returns a record exactly as it was written.
	Whole bool
	// Declared lists the losses that reading and writing may report.
	Declared Declared
}

// Confidence is how certain it is that a source has a format.
type Confidence int

// Degrees of confidence, from none to proof.
const (
	No       Confidence = iota
	Possible            // nothing contradicts it
	Likely              // the source has the format's shape
	Certain             // the source names the format
)

// Source is a document to read: a file, or a folder of files.
type Source struct {
	Name string      // base name of the file or folder, for messages and ties
	File io.ReaderAt // nil for a folder
	Size int64       // bytes in File
	Tree fs.FS       // nil for a file; never follows a link out of the folder
	// Modified is when the file was last written; zero: unknown. It dates records that have
	// no date of their own.
	Modified time.Time
}

// Dated returns the time of a file as the date of records that have none: in UTC, to the
// second. An exact time would look like one that somebody wrote down. The zero time stays.
func Dated(modified time.Time) time.Time { return modified.UTC().Truncate(time.Second) }

// Reader yields the records of an opened document.
type Reader interface {
	memory.Archive
	// Losses returns the data that the reader could not keep. The list is complete once
	// Next has returned io.EOF.
	Losses() []Loss
	// Close frees the reader's resources.
	Close() error
}

// Writer takes the records of a document one by one.
type Writer interface {
	// Write appends one record.
	Write(memory.Record) error
	// Close completes the document. It does not close the underlying writer.
	Close() error
	// Losses returns the data that the format could not express. The list is complete after
	// Close.
	Losses() []Loss
}

// Options control decoding and encoding. The zero value is safe for input from a stranger.
type Options struct {
	Owner   memory.DID       // owner of records that name none; empty: the document must name one
	Now     func() time.Time // dates records without any date; nil: the reader refuses such records
	Project string           // project of records that name none; empty: none
	Limits  Limits
	Strict  bool // Validate applies the rules for writers, and reports unknown members and warnings
	NDJSON  bool // Create writes one record per line, if the format has that form
	// Apart says that Satchel keeps and forgets records one by one. Open then repeats no
	// data of one record in another, even if the document cannot be written again as it
	// was.
	Apart bool
	// Unsigned says that nobody will see the signatures of the records. Open then gives a
	// signed record all relations that the document states beside it.
	Unsigned bool
	// Mend accepts documents of other systems that write JSON less strictly. The reader
	// mends half characters, numbers beyond 2^53 and doubled members, leaves out units of
	// an archive that it cannot read, and reports a loss for each. Open of those formats
	// sets it. False: the reader refuses them, and Validate reports why.
	Mend bool
	// LeftOut gets each part that a reader leaves out, as soon as the reader meets it; nil:
	// only [Reader.Losses] lists them. The reader's own goroutine calls it.
	LeftOut func(Loss)
	// FrontMatterJSON makes Markdown writers put one JSON object between the dashes instead
	// of one member per line.
	FrontMatterJSON bool
	// Before is the present content of the document to write, for formats that change a
	// part of it and keep the rest; nil: it is empty.
	Before []byte
	// Producer names the program that writes a document, if the format has a place for it;
	// empty: the format's own choice.
	Producer string
	// Spool makes a temporary file for data that a writer needs before its first byte; nil:
	// the writer keeps the data in memory. A spool holds memories: only its owner may read
	// it.
	Spool func() (Spool, error)
}

// Folder receives the files of a document that is a folder. Paths are relative to it, and use
// slashes. The error for a path that leads out of it, or that the system allows no file to
// have, is fs.ErrInvalid.
type Folder interface {
	// Put writes a file completely or not at all. Only files that Put wrote belong to the
	// document, whatever else the folder holds.
	Put(name string, data []byte) error
	// Held returns the present content of a file. The error is fs.ErrNotExist if there is
	// none.
	Held(name string) ([]byte, error)
}

// Forms reads and writes single records as UMP JSON. Package ump implements it, for formats
// that carry UMP records beside their own, or that derive a record's name from its origin.
type Forms interface {
	// Author gives a record its Origin, and an ID unless it has one. It does not sign.
	Author(memory.Record) (memory.Record, error)
	// AuthorVersions is Author for drafts without an ID that succeed one another, oldest
	// first: each result names the version before it and the one after it.
	AuthorVersions(drafts []memory.Record) ([]memory.Record, error)
	// Decode reads a complete record strictly. It does not verify the record.
	Decode(form []byte) (memory.Record, error)
	// Verify checks the integrity of a record. A record without integrity fails.
	Verify(form []byte) error
	// Expiry returns when the retention of a record ends, and whether it ends.
	Expiry(memory.Record) (time.Time, bool)
}
