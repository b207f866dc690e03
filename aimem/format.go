package aimem

import (
	"bytes"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Name is what the format is called: on the command line, in logs, and in the records
// that chunks become.
const Name = "aimem"

// Format is a bundle as a document of records: *.aimem.json, or *.aimem.ndjson where
// Options.NDJSON asks for the stream. What chunks cannot say of records stands in
// members x_ump, and what records cannot say of a bundle in records of their own, so
// that both directions give back what went in (mapping section 0).
//
// A bundle has one owner, of whom all records must be. What is written is known
// before the first byte: records lie in Options.Spool until Close.
func Format(forms codec.Forms) codec.Format {
	return codec.Format{
		Name:       Name,
		Title:      "AIMEM Bundle (JSON, NDJSON)",
		Extensions: []string{StreamExtension, Extension},
		Detect:     detect,
		Whole:      true,
		Declared:   declared(),
		Open: func(src codec.Source, opt codec.Options) (codec.Reader, error) {
			return openRecords(forms, src, opt)
		},
		Create: func(w io.Writer, opt codec.Options) (codec.Writer, error) {
			return createRecords(forms, w, opt)
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
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for _, text := range [][]byte{head, line} {
		if v, err := canon.Parse(text, canon.Options{Bytes: codec.HeadSize, Depth: 128, Inexact: true}); err == nil {
			return detectEnvelope(v)
		}
	}
	return detectCut(head)
}

func detectEnvelope(v canon.Value) codec.Confidence {
	switch v.Get("format").Text() {
	case FormatName, LegacyFormat:
		return codec.Certain
	}
	if v.Has(memberChunks) && v.Has("producer") && v.Has("tenant_id") {
		return codec.Likely
	}
	return codec.No
}

// detectCut judges the beginning of a document: its members may come in any order.
func detectCut(head []byte) codec.Confidence {
	says := func(text string) bool { return bytes.Contains(head, []byte(text)) }
	switch {
	case says(`"` + FormatName + `"`), says(`"` + LegacyFormat + `"`):
		return codec.Likely
	case says(`"memory_type"`) && says(`"content"`), says(`"edge_type"`):
		return codec.Likely
	}
	return codec.No
}

// hasMember reports whether the first object of a document seems to have a member.
func hasMember(head []byte, name string) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("\n"))
	if v, err := canon.Parse(line, canon.Options{Bytes: codec.HeadSize, Depth: 128, Inexact: true}); err == nil {
		return v.Has(name)
	}
	return bytes.Contains(head, []byte(`"`+name+`"`))
}
