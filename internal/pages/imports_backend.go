package pages

import (
	"context"
	"io"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Importer imports what the owner's browser sends, and takes it back.
type Importer interface {
	Uploads
	// ImportList lists the imports, newest first.
	ImportList(ctx context.Context, c memory.Caller) ([]Import, error)
	// UndoPlan says what taking an import back would do. It fails with kind NotFound for an
	// import that does not exist or was taken back.
	UndoPlan(ctx context.Context, c memory.Caller, number int64) (UndoPlan, error)
	// UndoImport begins to take an import back, and stops one that is under way.
	UndoImport(ctx context.Context, c memory.Caller, number int64) error
}

// Uploads keeps files while they are imported. Every method fails with kind NotFound for a
// file that is not here any more.
type Uploads interface {
	// Upload keeps a file and begins to read it. It returns the file's name in addresses.
	Upload(ctx context.Context, c memory.Caller, name string, in io.Reader) (string, error)
	// UploadList lists the files that are here, newest first.
	UploadList(ctx context.Context, c memory.Caller) ([]Upload, error)
	// UploadOf says how far a file is.
	UploadOf(ctx context.Context, c memory.Caller, file string) (Upload, error)
	// StartUpload imports a file that was read, or goes on with one that was stopped.
	StartUpload(ctx context.Context, c memory.Caller, file string) error
	// StopUpload ends the reading or importing of a file.
	StopUpload(ctx context.Context, c memory.Caller, file string) error
	// DropUpload removes a file.
	DropUpload(ctx context.Context, c memory.Caller, file string) error
}

// ImportState says how far an import has come.
type ImportState string

// The states of an import.
const (
	AtWork     ImportState = "at work"
	InPart     ImportState = "in part" // it was stopped, and can go on
	Complete   ImportState = "imported"
	GoingBack  ImportState = "being taken back" // by this server
	PartlyBack ImportState = "partly taken back"
	TakenBack  ImportState = "undone"
	NothingWas ImportState = "cut off" // and nothing of it was kept
)

// Import is a document that was imported.
type Import struct {
	Number  int64
	Name    string
	Format  string
	At      time.Time
	State   ImportState
	New     int
	Known   int
	Units   int    // conversations of an archive that are done
	Upload  string // the file that it comes from; empty: that is not here any more
	Removed int    // while it is taken back: memories that are gone
	Kept    int    // and those that stay
	Failure error  // why taking it back failed
}

// UndoPlan says what taking an import back would do.
type UndoPlan struct {
	Remove    int
	Changed   int // stay, because they were changed since
	BuiltOn   int // stay, because others build on them
	Proposals int // go, because they were found in those that go
	Stay      []memory.Record
}

// UploadState says how far a file has come.
type UploadState string

// The states of a file.
const (
	UploadReading   UploadState = "reading"
	UploadRead      UploadState = "read"
	UploadImporting UploadState = "importing"
	UploadStopped   UploadState = "stopped"
	UploadImported  UploadState = "imported"
	UploadFailed    UploadState = "failed"
)

// Upload is a file that was sent, and what the import of it does or would do.
type Upload struct {
	File                                      string // its name in addresses
	Name                                      string
	Format                                    string
	Size                                      int64
	State                                     UploadState
	Far, Total                                int64 // bytes that are read; Total 0: not known
	Number                                    int64 // of the import; 0: there is none yet
	Seen                                      int   // records that are read
	Read, New, Updated, Known, Left, Conflict int
	Narrowed, Units, Before, Masked           int
	Again                                     bool     // it was imported before
	Reasons                                   []Reason // why something is left out
	Conflicts                                 []Reason
	Losses                                    []Reason // what did not survive, by reason
	Samples                                   []memory.Record
	Failure                                   error // why it cannot be imported
}

// Reason counts what is left out for one reason, and names the first of it.
type Reason struct {
	Text  string
	Count int
	Where []string
}

// busy reports whether the page of a file changes by itself.
func (u Upload) busy() bool { return u.State == UploadReading || u.State == UploadImporting }
