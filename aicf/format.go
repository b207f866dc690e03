package aicf

import (
	"io"

	"github.com/satchel-memory/satchel/codec"
)

// Extension is the usual ending of context files.
const Extension = ".aicf"

// Format is a context file as a document of records. Sections say what records say as far
// as they can; whole records ride along in sections of their own, and what records cannot
// say of a file is kept as residue, so that both directions give back what went in.
func Format(forms codec.Forms) codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "AICF context file",
		Extensions: []string{Extension + ".gz", Extension},
		Detect:     detect,
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
