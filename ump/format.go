package ump

import (
	"bytes"
	"io"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const (
	jsonExtension     = ".ump.json"
	linesExtension    = ".ump.ndjson"
	markdownExtension = ".ump.md"
)

// Format is *.ump.json (section 4.3): an array of records, one record, or NDJSON; or
// a folder of such files and of *.ump.md. It writes an array, or NDJSON if
// Options.NDJSON is set. The caller decides the order of records: by created and id
// (decision UD-28).
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "UMP records (JSON, NDJSON)",
		Extensions: []string{linesExtension, jsonExtension},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Whole:      true,
		Declared:   declaredLosses(),
	}
}

// detectBytes is how much of a document detect reads.
const detectBytes = 1 << 20

// detect looks at the first element: a UMP record names its edition.
func detect(src codec.Source) codec.Confidence {
	switch {
	case src.Tree != nil:
		return detectTree(src.Tree)
	case src.File == nil:
		return codec.No
	}
	head := io.NewSectionReader(src.File, 0, min(src.Size, detectBytes))
	return detectHead(head, src.Size > detectBytes)
}

// detectHead looks at the beginning of a document; more: the document is longer.
func detectHead(head io.ReadSeeker, more bool) codec.Confidence {
	elements := canon.NewElements(head, canon.Options{Bytes: detectBytes, Inexact: true})
	raw, err := elements.Next()
	switch {
	case err == io.EOF && elements.Layout() == canon.List:
		return codec.Possible // an empty array
	case err != nil:
		return detectCut(head, more)
	}
	v, err := canon.Parse(raw, canon.Options{Inexact: true})
	switch {
	case err != nil || v.Type() != canon.TypeObject:
		return codec.No
	case v.Has("ump") && (v.Has("body") || v.Has("kind")):
		return codec.Certain
	case v.Has("body") && v.Has("kind") && v.Has("scope") && v.Has("time"):
		return codec.Likely
	}
	return codec.No
}

// detectCut looks at a document whose first record is broken or longer than the
// head: it may still name its edition.
func detectCut(head io.ReadSeeker, more bool) codec.Confidence {
	if _, err := head.Seek(0, io.SeekStart); err != nil {
		return codec.No
	}
	start := make([]byte, 256)
	n, _ := io.ReadFull(head, start)
	text := bytes.TrimLeft(start[:n], "\xEF\xBB\xBF \t\r\n[")
	switch {
	case !bytes.HasPrefix(bytes.ReplaceAll(text, []byte(" "), nil), []byte(`{"ump":`)):
		return codec.No
	case more:
		return codec.Likely
	}
	return codec.Possible
}

// The reasons of losses, in the words that people read. docs/mapping.md lists the
// same.
const (
	lossAuthored  = "the record as its author signed it is not written, only what it has become"
	lossSignature = "the record was changed after it was signed; it is written without a signature"
	lossEdited    = "the file was edited after the record was signed; it is taken as an unsigned revision of that record"
	lossOpened    = "an edited file cannot open a record to others; the revision is private until its owner says otherwise"
)

func declaredLosses() codec.Declared {
	return codec.Declared{Writing: []string{lossAuthored, lossSignature}}
}

// declaredFileLosses returns the losses of files that people edit by hand.
func declaredFileLosses() codec.Declared {
	return codec.Declared{Reading: []string{lossEdited, lossOpened}, Writing: declaredLosses().Writing}
}
