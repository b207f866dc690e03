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
	open, validate := codec.Opened(newDocument)
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
			return codec.No // a schema of it, for one
		}
		return codec.Possible
	}
	return codec.Likely
}
