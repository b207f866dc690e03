package mapping

import (
	"io"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// Format reads and writes context files as records. Sections say what records say as far as
// they can. The file carries whole records in sections of their own, and records keep what
// only the file says as residue. Both directions give back what went in.
func Format(forms codec.Forms) codec.Format {
	return codec.Format{
		Name:       aicf.Name,
		Title:      "AICF context file",
		Extensions: []string{aicf.Extension + ".gz", aicf.Extension},
		Detect:     aicf.Recognize,
		Whole:      true,
		Declared:   declared(),
		Open: func(src codec.Source, opt codec.Options) (codec.Reader, error) {
			return openRecords(forms, src, opt)
		},
		Create: func(w io.Writer, opt codec.Options) (codec.Writer, error) {
			return &recordWriter{forms: forms, out: w, opt: opt}, nil
		},
		Validate: func(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
			return validateSource(forms, src, opt, report)
		},
	}
}

// The reasons of losses. docs/mapping.md lists them.
const (
	lossTemporary = "temporary state is not kept"
	lossBlank     = "an insight without a text makes no record"
	lossLong      = "lines that are longer than a memory may be make no record"
	lossVector    = "the vector is left out: the file has more of them than are held at a time"
	lossUnsaid    = "links and keywords of what is not in the file, and stray lines, that no search finds: "
	lossLarge     = "the file is too large for its order, its links and what the format does not know to be kept beside its records"
	lossDialect   = "how the file was written: its dialect has no parts that could be kept apart, so that it will be written anew, as 3.1"
	lossRide      = "the record that rides along is none that can be read"
	lossTampered  = "the record that rides along was changed after it was signed"
	lossOverruled = "the record that rides along no longer says what the file says; what the file says counts"
	lossConsent   = "its owner allows no export"
	lossAuthored  = "the record is written as it is now, and not as it was authored"
	lossUnsigned  = "a record without a document cannot be verified: what it says of its integrity is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: []string{lossTemporary, lossBlank, lossLong, lossVector, lossUnsaid + "…", lossLarge, lossDialect, lossRide, lossTampered, lossOverruled},
		Writing: []string{lossConsent, lossAuthored, lossUnsigned},
	}
}
