package codectest

import (
	"io/fs"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Suite describes a format to test. Only Format is required.
type Suite struct {
	Format  codec.Format
	Options codec.Options // the suite fills a zero Owner and Now in
	// Documents are more valid documents, such as the format's vectors. A read-only format
	// needs some.
	Documents []Document
	// FreeText says that a document cut short may be a valid shorter document, because its
	// text runs to the end of the file.
	FreeText bool
	// Sign gives a record an integrity that the format checks; nil: the suite uses any
	// integrity.
	Sign func(memory.Record) (memory.Record, error)
	// Folder is a folder of at least two files in the format; nil: the format has no
	// folders.
	Folder fs.FS
	// AsFolder tests the format with CreateIn, which writes into a folder. Documents are
	// txtar archives then, also those in Documents.
	AsFolder bool
	// Exempt names limits that do not apply to the format, and why.
	Exempt map[string]string
}

// Document is a document and its name.
type Document struct {
	Name string
	Data []byte
}

// Run tests a format that needs no settings.
func Run(t *testing.T, format codec.Format, documents ...Document) {
	Suite{Format: format, Documents: documents}.Run(t)
}

// Run runs all tests of the suite.
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

// all returns the documents to test: those of Documents, and the suite's own sample.
func (s Suite) all(t *testing.T) []Document {
	documents := s.Documents
	if s.writes() {
		data, _ := s.encode(t, full(t))
		documents = append(documents[:len(documents):len(documents)], Document{Name: "sample", Data: data})
	}
	return documents
}

// writes reports whether the format can write.
func (s Suite) writes() bool {
	return s.Format.Create != nil && !s.AsFolder || s.Format.CreateIn != nil && s.AsFolder
}
