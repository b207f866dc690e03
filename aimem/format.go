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
// Options.NDJSON asks for the stream. Members x_ump keep the parts of records that chunks
// cannot express. Separate records keep the parts of a bundle that records cannot express.
// So both directions give the original back (mapping section 0).
//
// All records of a bundle belong to one owner. The writer must know all of them before the
// first byte, so it keeps them in Options.Spool until Close.
func Format(forms codec.Forms) codec.Format {
	return codec.Format{
		Name:       Name,
		Title:      "AIMEM Bundle (JSON, NDJSON)",
		Extensions: []string{StreamExtension, Extension},
		Detect:     detect,
		Whole:      true,
		Declared:   declaredLosses(),
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

// detect looks for the envelope; its members may have any order.
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

// detectCut looks at the beginning of a document; its members may have any order.
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

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossRecord         = "a chunk says less than a record: times but created, scope, confidence, provenance, consent, signature and structured are left out"
	lossForeignCarrier = "the chunk came with a member x_ump of another meaning, which gives its place to ours"
	lossEmbedding      = "the record is restored as its author spelled it and cannot take the embedding of its chunk"
	lossMember         = "the record is restored as its author spelled it and cannot take a member that was added to its chunk"
	lossSignature      = "the edges and links of the bundle say otherwise than the record that a chunk carries; it takes what they say, and loses its signature"
	lossUnread         = "the record that a chunk carries does not come back as it was: it cannot be read, or the chunk, the owner or the signature say otherwise"
	lossOutside        = "the relation leads to a record of the former owner that is not in the bundle; it is left out"
	lossCarried        = "no valid record of this owner; it is left out"
	lossAuthored       = "the record as its author signed it is not written, only what it has become"
	lossExported       = "when the bundle was made is not kept: its records say everything else"
	lossAbsent         = "a stream has all four arrays: those that the bundle did not have come back empty"
	lossManifest       = "the manifest does not fit the records any more; edges, entities and links follow it as far as it goes"
)

func declaredLosses() codec.Declared {
	return codec.Declared{
		Reading: []string{lossRecord, lossForeignCarrier, lossEmbedding, lossMember, lossSignature, lossUnread, lossOutside, lossCarried, lossExported},
		Writing: []string{lossAuthored, lossAbsent, lossManifest},
	}
}
