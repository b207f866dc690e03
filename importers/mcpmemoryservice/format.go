package mcpmemoryservice

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
)

const formatName = "mcpmemoryservice"

// Format returns the format of mcp-memory-service's export.
func Format() codec.Format {
	open, validate := codec.DocumentFormat(newDocument)
	return codec.Format{
		Name:       formatName,
		Title:      "mcp-memory-service (JSON export)",
		Extensions: []string{".json"},
		Detect:     detect,
		Open:       open,
		Validate:   validate,
		Declared:   declared(),
	}
}

// detect looks for the names that only this format has, in its envelope and its memories.
func detect(src codec.Source) codec.Confidence {
	head, ok := src.ObjectHead()
	says := func(name string) bool { return bytes.Contains(head, []byte(`"`+name+`"`)) }
	switch {
	case !ok || !says("memories"):
		return codec.No
	case says("export_metadata") && (says("content_hash") || says("exporter_version") || says("source_machine")):
		return codec.Likely
	case says("content_hash") && says("content") && says("memory_type"):
		return codec.Possible
	}
	return codec.No
}

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlank     = "it is blank, nothing to remember"
	lossDeleted   = "it was deleted"
	lossEmbedding = "embeddings are not taken over; they can be made again"
	lossDocument  = "a member of the whole document, which no record carries"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.ReadLosses(), lossBlank, lossDeleted, lossEmbedding, lossDocument)}
}
