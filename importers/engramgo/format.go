package engramgo

import (
	"bytes"
	"io/fs"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "engramgo"

// Format returns the format of engram's export and of its sync folder.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "engram memory server (JSON export, sync folder)",
		Extensions: []string{".json"},
		Detect:     detect,
		Declared:   declared(),
		Open:       open,
		Validate:   validate,
	}
}

func detect(src codec.Source) codec.Confidence {
	if src.Tree != nil {
		return detectFolder(src.Tree)
	}
	head, ok := src.ObjectHead()
	if !ok {
		return codec.No
	}
	if v, err := canon.Parse(head, canon.Options{Bytes: codec.HeadSize, Mend: true}); err == nil {
		if v.Has("observations") && v.Has("sessions") && v.Has("prompts") {
			return codec.Certain
		}
		return codec.No
	}
	for _, name := range []string{`"exported_at"`, `"sessions"`} {
		if !bytes.Contains(head, []byte(name)) {
			return codec.No
		}
	}
	return codec.Likely
}

// detectFolder looks for the manifest of a sync folder.
func detectFolder(tree fs.FS) codec.Confidence {
	raw, err := readFile(tree, manifestName, codec.HeadSize)
	if err != nil {
		return codec.No
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: codec.HeadSize, Mend: true})
	if err != nil || v.Get("chunks").Type() != canon.TypeArray || v.Get("version").Type() != canon.TypeNumber {
		return codec.No
	}
	return codec.Certain
}

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossDeleted = "it was deleted"
	lossBlank   = "it is blank, nothing to remember"
)

// lossAside names a kind of data that is left out, and its amount.
func lossAside(what, many string) string {
	return what + " are no memories and are left out: " + many
}

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.ReadLosses(), lossDeleted, lossBlank, lossAside("…", "…"))}
}
