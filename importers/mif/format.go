package mif

import (
	"bytes"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "mif"

// Format returns the Memory Interchange Format.
func Format() codec.Format {
	open, validate := codec.DocumentFormat(newDocument)
	return codec.Format{
		Name:       formatName,
		Title:      "Memory Interchange Format 2 (MIF, JSON)",
		Extensions: []string{".mif.json", ".json"},
		Detect:     detect,
		Open:       open,
		Validate:   validate,
		Declared:   declared(),
	}
}

// detect looks for the version that a document states.
func detect(src codec.Source) codec.Confidence {
	head, ok := src.ObjectHead()
	if !ok || !bytes.Contains(head, []byte(`"mif_version"`)) {
		return codec.No
	}
	if v, err := canon.Parse(head, canon.Options{Bytes: codec.HeadSize + 1, Mend: true}); err == nil {
		if strings.HasPrefix(v.Get("mif_version").Text(), major) && v.Has("memories") {
			return codec.Certain
		}
		if v.Get("mif_version").Text() == "" {
			return codec.No // such as a schema of it
		}
		return codec.Possible
	}
	return codec.Likely
}

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlank     = "a memory without content, nothing to remember"
	lossVector    = "the numbers of an embedding are left out: a model makes them from the text"
	lossEnd       = "a relationship with an entity that is not in the graph"
	lossExport    = "when and for whom the export was made, and its checksum, of which the format does not say what it covers"
	lossVendor    = "what a vendor keeps beside the memories, which no record carries"
	lossMember    = "a member of the whole document, which no record carries"
	lossGenerator = "the version of the program that made the export"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.ReadLosses(), lossBlank, lossVector, lossEnd, lossExport, lossVendor, lossMember, lossGenerator)}
}
