package engram

import (
	"bytes"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Extension is the usual ending of exports in files.
const Extension = ".engram.json"

// Format is an export as a document of records. What core objects cannot say of records
// stands in members x_ump, and what records cannot say of an export in residue, so that
// both directions give back what went in.
//
// An export has one owner, of whom all records must be. It is read and written as one
// document in memory, and its signature is not verified: who is to be trusted, a
// document cannot say. What is written is unsigned, unless it is the very document that
// was read: then it has the signature that it came with.
func Format(forms codec.Forms) codec.Format {
	return codec.Format{
		Name:       Name,
		Title:      "Engram export (JSON)",
		Extensions: []string{Extension},
		Detect:     detect,
		Whole:      true,
		Declared:   declared(),
		Open: func(src codec.Source, opt codec.Options) (codec.Reader, error) {
			return openRecords(forms, src, opt)
		},
		Create: func(w io.Writer, opt codec.Options) (codec.Writer, error) {
			return &recordWriter{forms: forms, out: w, opt: opt, owner: opt.Owner}, nil
		},
		Validate: func(src codec.Source, opt codec.Options, report func(*codec.ParseError)) error {
			return validateSource(forms, src, opt, report)
		},
	}
}

// detect looks for the envelope, whose members may stand in any order.
func detect(src codec.Source) codec.Confidence {
	head, ok := src.ObjectHead()
	if !ok {
		return codec.No
	}
	if v, err := canon.Parse(head, canon.Options{Bytes: codec.HeadSize, Depth: 128, Inexact: true}); err == nil {
		if v.Get("engram_version").Type() == canon.TypeString {
			return codec.Certain
		}
		return codec.No
	}
	if bytes.Contains(head, []byte(`"engram_version"`)) {
		return codec.Likely
	}
	for _, name := range []string{`"beliefs"`, `"belief_id"`, `"stale_after_days"`} {
		if bytes.Contains(head, []byte(name)) && bytes.Contains(head, []byte(`"confidence"`)) {
			return codec.Possible
		}
	}
	return codec.No
}
