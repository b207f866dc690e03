package codectest

import (
	"io/fs"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Suite says what there is to test about a format. Only Format is required.
type Suite struct {
	Format  codec.Format
	Options codec.Options // zero Owner and Now are supplied
	// Documents are further valid documents, such as the format's vectors. A
	// format that cannot be written needs some.
	Documents []Document
	// FreeText says that a document cut short may be a shorter document: its
	// text runs to the end of the file.
	FreeText bool
	// Sign gives a record integrity that the format will look at; nil: any will do.
	Sign func(memory.Record) (memory.Record, error)
	// Folder is a folder of at least two files in the format; nil: it has none.
	Folder fs.FS
	// AsFolder tests the format as it is written into a folder, with CreateIn. Documents
	// are archives of txtar then, and so is what Documents holds.
	AsFolder bool
	// Exempt names limits that have no meaning in the format, and says why.
	Exempt map[string]string
}

// Document is a document and what to call it.
type Document struct {
	Name string
	Data []byte
}

// Run tests a format that needs no more than to be named.
func Run(t *testing.T, format codec.Format, documents ...Document) {
	Suite{Format: format, Documents: documents}.Run(t)
}

// Run tests everything the suite has.
func (s Suite) Run(t *testing.T) {
	if !s.writes() && len(s.Documents) == 0 {
		t.Fatal("a format that cannot be written needs Documents")
	}
	if s.Options.Owner == "" {
		s.Options.Owner = sampleOwner
	}
	if s.Options.Now == nil {
		s.Options.Now = func() time.Time { return sampleTime }
	}
	t.Run("bytes", s.testBytes)
	t.Run("fields", s.testFields)
	t.Run("forms", s.testForms)
	t.Run("cut short", s.testTruncation)
	t.Run("doubled members", s.testDoubled)
	t.Run("deep nesting", s.testDeep)
	t.Run("limits", s.testLimits)
	t.Run("detection", s.testDetect)
}

// all returns the documents to try: the given ones, and our own sample.
func (s Suite) all(t *testing.T) []Document {
	documents := s.Documents
	if s.writes() {
		data, _ := s.encode(t, full(t))
		documents = append(documents[:len(documents):len(documents)], Document{Name: "sample", Data: data})
	}
	return documents
}

// writes reports whether the format can be written.
func (s Suite) writes() bool {
	return s.Format.Create != nil && !s.AsFolder || s.Format.CreateIn != nil && s.AsFolder
}
