package engram

import (
	"bytes"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Extension is the usual ending of exports in files.
const Extension = ".engram.json"

// Format reads and writes exports as records. The members x_ump hold what core objects
// cannot say of records; the residue of records holds what records cannot say of an export.
// Both directions give back what went in.
//
// An export has one owner, who owns all its records. Format holds the document in memory
// and does not verify its signature: a document cannot say whom to trust. It writes
// unsigned exports, except that an unchanged document keeps its signature.
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
